"""The part "Values" of docs/WIRE.md: bytes, and the user's own values in them.

A class per form, which reads and writes it side by side. `order` gives what Python compares as Rust
compares the value. In JSON an Option is null or [value], and bytes are a list of numbers.
"""


class Refused(Exception):
    """Says at which byte, and what is wrong there."""


class Source:
    """Bytes, read from the front."""

    def __init__(self, data):
        self.data, self.at = data, 0

    def need(self, holds, what):
        if not holds:
            raise Refused(f"byte {self.at}: {what}")

    def take(self, count, what):
        left = len(self.data) - self.at
        self.need(count <= left, f"{what} takes {count} bytes, {left} are left")
        self.at += count
        return self.data[self.at - count : self.at]

    def text(self, count):
        data = self.take(count, "a text")
        try:
            return data.decode()
        except UnicodeDecodeError as error:
            raise Refused(f"byte {self.at - count + error.start}: no UTF-8") from None


class Form:
    def order(self, value):
        return value


class Unsigned(Form):
    """A whole number of so many bits, a length too."""

    WIDTHS = {251: 2, 252: 4, 253: 8, 254: 16}

    def __init__(self, bits):
        self.bits = bits

    def read(self, source):
        number = source.take(1, "a number")[0]
        source.need(number != 255, "255 begins no number")
        if number in self.WIDTHS:
            number = int.from_bytes(source.take(self.WIDTHS[number], "a number"), "little")
        source.need(number < 1 << self.bits, f"{number} has more than {self.bits} bits")
        return number

    def write(self, sink, number):
        if number < 251:
            sink.append(number)
        else:
            wide = next(first for first, width in self.WIDTHS.items() if number < 1 << 8 * width)
            sink += bytes([wide]) + number.to_bytes(self.WIDTHS[wide], "little")


class Signed(Unsigned):
    def read(self, source):
        number = super().read(source)
        return -(number >> 1) - 1 if number & 1 else number >> 1

    def write(self, sink, number):
        super().write(sink, -2 * number - 1 if number < 0 else 2 * number)


class Byte(Form):
    """One byte as it is: u8 or i8."""

    def __init__(self, signed=False):
        self.signed = signed

    def read(self, source):
        return int.from_bytes(source.take(1, "a byte"), "big", signed=self.signed)

    def write(self, sink, number):
        sink.append(number & 255)


class Bool(Form):
    def read(self, source):
        byte = source.take(1, "a bool")[0]
        source.need(byte < 2, f"{byte} is no bool")
        return byte == 1

    def write(self, sink, value):
        sink.append(value)


class Text(Form):
    def read(self, source):
        return source.text(LENGTH.read(source))

    def write(self, sink, text):
        LENGTH.write(sink, len(text.encode()))
        sink += text.encode()


class Char(Text):
    def read(self, source):
        first = source.take(1, "a char")[0]
        source.at -= 1
        return source.text(1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0))

    def write(self, sink, char):
        sink += char.encode()


class Tuple:
    """Its fields in order; a struct too, and a unit is one of none."""

    def __init__(self, *of):
        self.of = of

    def read(self, source):
        return [of.read(source) for of in self.of]

    def write(self, sink, values):
        for of, value in zip(self.of, values, strict=True):
            of.write(sink, value)

    def order(self, values):
        return [of.order(value) for of, value in zip(self.of, values)]


class List:
    def __init__(self, of):
        self.of = of

    def read(self, source):
        return [self.of.read(source) for _ in range(LENGTH.read(source))]

    def write(self, sink, values):
        LENGTH.write(sink, len(values))
        for value in values:
            self.of.write(sink, value)

    def order(self, values):
        return [self.of.order(value) for value in values]


class Map(List):
    """Keys, ascending, and values in turn; a set is its keys alone."""

    def write(self, sink, pairs):
        super().write(sink, sorted(pairs, key=self.of.order))


class Option(List):
    def read(self, source):
        return [self.of.read(source)] if BOOL.read(source) else None

    def write(self, sink, value):
        super().write(sink, value or [])

    def order(self, value):
        return super().order(value or [])


class Scalar:
    """A leaf of a document; each kind of it is a kind of JSON."""

    KINDS = [type(None), bool, int, str, list]

    def __init__(self):
        self.of = [Tuple(), BOOL, Signed(64), Text(), List(Byte())]

    def read(self, source):
        kind = Unsigned(32).read(source)
        source.need(kind < len(self.of), f"{kind} is no kind of Scalar")
        value = self.of[kind].read(source)
        return value if kind else None

    def write(self, sink, value):
        kind = self.KINDS.index(type(value))
        Unsigned(32).write(sink, kind)
        self.of[kind].write(sink, value if kind else [])

    def order(self, value):
        kind = self.KINDS.index(type(value))
        return [kind, value] if kind else [kind]


LENGTH, BOOL = Unsigned(64), Bool()
