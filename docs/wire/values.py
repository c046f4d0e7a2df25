"""The part "Values" of docs/WIRE.md: bytes, and the user's own values in them.

A class per form, which reads and writes it side by side; `order` gives what Python compares as Rust
compares the value. What is read is JSON as serde writes it. Floats are not here: what replicas hold
has an order, and they have none.
"""


class Refused(Exception):
    """Says at which byte, and what is wrong there."""


class Source:
    """Bytes, read from the front."""

    def __init__(self, data):
        self.data, self.at, self.elements = data, 0, 0

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


class Node(Unsigned):
    """Eight hex digits in JSON."""

    def __init__(self):
        super().__init__(32)

    def read(self, source):
        return f"{super().read(source):08x}"

    def write(self, sink, node):
        super().write(sink, int(node, 16))


class Stamp(Unsigned):
    """61 bits, a text in JSON."""

    def __init__(self):
        super().__init__(61)

    def read(self, source):
        return str(super().read(source))

    def write(self, sink, stamp):
        super().write(sink, int(stamp))


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


class Char(Form):
    def read(self, source):
        first = source.take(1, "a char")[0]
        source.at -= 1
        return source.text(1 + (first >= 0xC0) + (first >= 0xE0) + (first >= 0xF0))

    def write(self, sink, char):
        sink += char.encode()


class Tuple(Form):
    """Its fields in order; without any it is a unit, null in JSON."""

    def __init__(self, *of):
        self.of = of

    def read(self, source):
        return [of.read(source) for of in self.of] or None

    def write(self, sink, values):
        for of, value in zip(self.of, values or [], strict=True):
            of.write(sink, value)

    def order(self, values):
        return [of.order(value) for of, value in zip(self.of, values or [])]


class Struct(Tuple):
    """Its fields in order; in JSON they have names."""

    def __init__(self, **of):
        self.names = list(of)
        super().__init__(*of.values())

    def read(self, source):
        return dict(zip(self.names, super().read(source)))

    def write(self, sink, struct):
        super().write(sink, [struct[name] for name in self.names])


class List(Form):
    def __init__(self, of):
        self.of = of

    def read(self, source):
        values = []
        for _ in range(LENGTH.read(source)):
            values.append(self.of.read(source))
            source.elements += 1
            few = source.elements <= EMPTY_MAX + len(source.data) - HEAD
            source.need(few, "too many elements that take no bytes")
        return values

    def write(self, sink, values):
        LENGTH.write(sink, len(values))
        for value in values:
            self.of.write(sink, value)

    def order(self, values):
        return [self.of.order(value) for value in values]


class Map(Form):
    """Keys, ascending, each with its value; keys that are texts in JSON."""

    def __init__(self, key, value):
        self.key, self.of = key, List(Tuple(key, value))

    def read(self, source):
        return dict(self.of.read(source))

    def write(self, sink, values):
        self.of.write(sink, sorted(values.items(), key=lambda entry: self.key.order(entry[0])))

    def order(self, values):
        return self.of.order(sorted(values.items()))


class Option(Form):
    """JSON cannot tell nothing from something that is null."""

    def __init__(self, of):
        self.of = of

    def read(self, source):
        return self.of.read(source) if BOOL.read(source) else None

    def write(self, sink, value):
        BOOL.write(sink, value is not None)
        if value is not None:
            self.of.write(sink, value)

    def order(self, value):
        return [] if value is None else [self.of.order(value)]


class Enum(Form):
    """Variants with a field or none."""

    def __init__(self, **variants):
        self.names, self.of = list(variants), list(variants.values())

    def read(self, source):
        number = Unsigned(32).read(source)
        source.need(number < len(self.of), f"variant {number} of {len(self.of)}")
        name, of = self.names[number], self.of[number]
        return {name: of.read(source)} if of else name

    def write(self, sink, value):
        number, of, value = self.parts(value)
        Unsigned(32).write(sink, number)
        if of:
            of.write(sink, value)

    def order(self, value):
        number, of, value = self.parts(value)
        return [number, of.order(value)] if of else [number]

    def parts(self, value):
        [[name, value]] = value.items() if isinstance(value, dict) else [[value, None]]
        number = self.names.index(name)
        return number, self.of[number], value


# What precedes a body, and how many elements of lists may take no bytes of it.
HEAD, EMPTY_MAX = 7, 1 << 20
LENGTH, BOOL = Unsigned(64), Bool()
SCALAR = Enum(Null=None, Bool=BOOL, Int=Signed(64), Text=Text(), Bytes=List(Byte()))
