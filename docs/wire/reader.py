#!/usr/bin/env python3
"""Reads and writes what docs/WIRE.md describes, made from that page: no line of Rust is behind it.

    reader.py read 'OrSet<String>' 676301...     the value as JSON, or at which byte it is none
    reader.py write 'OrSet<String>' '{...}'      the bytes of such JSON
    reader.py lines < wire.jsonl                 a line {"json": ...} or {"refused": ...} for each
                                                 line {"type": ..., "hex": ...}

A type is written as in Rust: OrMap<String, OrSet<u64>>, Delta<Doc>, Message<Max<i64>>, Saved<Doc>.
Values are in values.py, contexts and stores in stores.py; here is what holds them, up to a frame.
"""
import json, re, sys, zlib

sys.dont_write_bytecode = True
from stores import Branch, Context, Dots, Fun, Set, Stores, VectorClock, number, put
from values import (
    Bool, Byte, Char, Form, List, Map, Option, Refused, Scalar, Signed, Source, Text, Tuple, Unsigned,
)

U32, U64, I64 = Unsigned(32), Unsigned(64), Signed(64)


# What stands in a frame. A state has a tag and a form, and so have its delta and its version.


class State:
    """A causal state."""

    def __init__(self, store):
        self.store = store

    def read(self, source):
        context = Context().read(source)
        return {"context": context, "store": self.store.read(source, Dots(context))}

    def write(self, sink, state):
        Context().write(sink, state["context"])
        self.store.write(sink, Dots(state["context"]), state["store"])


class CausalDelta(State):
    def read(self, source):
        delta = {"intervals": Context().read(source), "on": Context().read(source)}
        dots = Dots(*delta.values())
        return delta | {
            "added": self.store.read(source, dots),
            "gone": self.store.gone().read(source, dots),
        }

    def write(self, sink, delta):
        Context().write(sink, delta["intervals"])
        Context().write(sink, delta["on"])
        dots = Dots(delta["intervals"], delta["on"])
        self.store.write(sink, dots, delta["added"])
        self.store.gone().write(sink, dots, delta["gone"])


class Tally:
    """Node, its last stamp, its total."""

    def __init__(self, total):
        self.total = total

    def read(self, source):
        return [entry + [self.total.read(source)] for entry in VectorClock().read(source)]

    def write(self, sink, tally):
        VectorClock().write(sink, [entry[:2] for entry in tally])
        for _, _, total in sorted(tally):
            self.total.write(sink, total)


class Latest:
    """Per key the dot and the value of its last write."""

    def __init__(self, key, value):
        self.key, self.value = key, value

    def read(self, source):
        context = Context().read(source)
        dots = Dots(context)
        entries = []
        for _ in range(number(source, "a count of keys")):
            key = self.key.read(source)
            dot = dots.read(source, number(source, "a dot"))
            entries.append([key, *dot, self.value.read(source)])
        return {"context": context, "entries": entries}

    def write(self, sink, latest):
        Context().write(sink, latest["context"])
        dots = Dots(latest["context"])
        put(sink, len(latest["entries"]))
        for key, node, stamp, value in sorted(
            latest["entries"], key=lambda entry: self.key.order(entry[0])
        ):
            self.key.write(sink, key)
            for part in dots.write([node, stamp]):
                put(sink, part)
            self.value.write(sink, value)


class Register:
    """Node, stamp and value of the one write that counts, or null."""

    def __init__(self, value):
        self.value = value

    def read(self, source):
        context = Context().read(source)
        if not context:
            return None
        [node, spans], *more = context
        alone = not more and len(spans) == 1 and spans[0][0] == spans[0][1]
        source.need(alone, "a register holds one dot")
        return [node, spans[0][1], self.value.read(source)]

    def write(self, sink, register):
        if register is None:
            return Context().write(sink, [])
        node, stamp, value = register
        Context().write(sink, [[node, [[stamp, stamp]]]])
        self.value.write(sink, value)


class Many:
    """A count, and so many of a form."""

    def __init__(self, of):
        self.of = of

    def read(self, source):
        return [self.of.read(source) for _ in range(number(source, "a count"))]

    def write(self, sink, values):
        put(sink, len(values))
        for value in values:
            self.of.write(sink, value)


class Elements(Many):
    """In their order."""

    def write(self, sink, values):
        super().write(sink, sorted(values, key=self.of.order))


class Frame:
    """A body between a head and a checksum."""

    def __init__(self, tag, body, delta=None, version=None):
        self.tag, self.body, self.delta, self.version = tag, body, delta or self, version or body

    def decode(self, data):
        source = Source(data)
        source.need(len(data) >= 11, f"{len(data)} bytes are no frame, which has 11 or more")
        source.need(source.take(2, "") == b"gc", "a frame begins with gc")
        version = source.take(1, "")[0]
        source.need(version == 1, f"version {version} is not known")
        checksum = int.from_bytes(data[-4:], "little")
        source.need(zlib.crc32(data[:-4]) == checksum, "the checksum does not fit")
        tag = source.take(4, "")
        source.need(tag == self.tag, f"the tag is {tag}, not {self.tag}")
        source.data = data[:-4]
        value = self.body.read(source)
        source.need(source.at == len(source.data), "bytes are left")
        again = self.encode(value)
        if again != data:
            at = next(at for at, (a, b) in enumerate(zip(again, data)) if a != b)
            raise Refused(f"byte {at}: not as the value that is meant is written")
        return value

    def encode(self, value):
        sink = bytearray(b"gc\1" + self.tag)
        self.body.write(sink, value)
        return bytes(sink + zlib.crc32(sink).to_bytes(4, "little"))


class Message:
    KINDS = ["greeting", "deltas", "state", "gap"]

    def __init__(self, of):
        self.of = of

    def read(self, source):
        tag = source.take(4, "the tag of a state")
        source.need(tag == self.of.tag, f"the tag is {tag}, not {self.of.tag}")
        kind = number(source, "a kind of message", len(self.KINDS))
        return {self.KINDS[kind]: [part.read(source) for part in self.parts(self.KINDS[kind])]}

    def parts(self, kind):
        return {
            "greeting": [self.of.version],
            "deltas": [Many(self.of.delta.body), self.of.version],
            "state": [self.of.body],
            "gap": [Tuple(U32, Option(U64), U64), self.of.version],
        }[kind]

    def write(self, sink, message):
        [[kind, values]] = message.items()
        sink += self.of.tag
        put(sink, self.KINDS.index(kind))
        for part, value in zip(self.parts(kind), values):
            part.write(sink, value)


class Saved:
    """What a replica keeps: node, last stamp, last made, collision; and its state."""

    OF = Tuple(U32, U64, Option(U64), Option(Tuple(Tuple(U64, U32), Option(U64))))

    def __init__(self, of):
        self.of = of

    def read(self, source):
        return {"values": self.OF.read(source), "state": self.of.body.read(source)}

    def write(self, sink, saved):
        self.OF.write(sink, saved["values"])
        self.of.body.write(sink, saved["state"])


def causal(tag, store):
    shape = store.shape.to_bytes(2, "big")
    return Frame(tag, State(store), Frame(b"dl" + shape, CausalDelta(store)), Context())


TYPES = {
    # Values.
    **{f"u{bits}": lambda bits=bits: Unsigned(bits) for bits in (16, 32, 64, 128)},
    **{f"i{bits}": lambda bits=bits: Signed(bits) for bits in (16, 32, 64, 128)},
    "u8": Byte, "i8": lambda: Byte(signed=True), "bool": Bool, "char": Char, "String": Text,
    "Vec": List, "Option": Option, "Scalar": Scalar, "": Tuple,
    "BTreeMap": lambda key, value: Map(Tuple(key, value)), "BTreeSet": Map,
    # States that are causal.
    "MvRegister": lambda value: causal(b"mvrg", Fun(value)),
    "ResettableCounter": lambda: causal(b"rctr", Fun(I64)),
    "EwFlag": lambda: causal(b"ewfl", Set()),
    "DwFlag": lambda: causal(b"dwfl", Fun(Bool())),
    "OrSet": lambda value: causal(b"orst", Stores(value, Set())),
    "RwSet": lambda value: causal(b"rwst", Stores(value, Fun(Bool()))),
    "AwLwwMap": lambda key, value: causal(b"awlm", Stores(key, Fun(value))),
    "OrMap": lambda key, below: causal(b"ormp", Stores(key, below.body.store)),
    "Doc": lambda: causal(b"docm", Stores(Text(), Branch())),
    "Causal": lambda of: causal(b"ca" + of.body.store.shape.to_bytes(2, "big"), of.body.store),
    # States that are not; the version of some is the state itself.
    "LwwRegister": lambda value: Frame(b"lwwr", Register(value)),
    "FwwRegister": lambda value: Frame(b"fwwr", Register(value)),
    "Max": lambda value: Frame(b"maxr", Option(value)),
    "Min": lambda value: Frame(b"minr", Option(value)),
    "GSet": lambda value: Frame(b"gset", Elements(value)),
    "TwoPhaseSet": lambda value: Frame(b"2pst", Elements(Tuple(value, Bool()))),
    "GCounter": lambda: Frame(b"gctr", Tally(U64), version=VectorClock()),
    "PnCounter": lambda: Frame(b"pctr", Tally(I64), version=VectorClock()),
    "BoundedCounter": lambda: Frame(
        b"bctr", Tally(Tuple(U64, U64, Map(Tuple(U32, U64)))), version=VectorClock()
    ),
    "LwwSet": lambda value: Frame(b"lwws", Latest(value, Bool()), version=Context()),
    "LwwMap": lambda key, value: Frame(b"lwwm", Latest(key, Option(value)), version=Context()),
    # What holds them.
    "VectorClock": lambda: Frame(b"vclk", VectorClock()),
    "CausalContext": lambda: Frame(b"ctxt", Context()),
    "Delta": lambda of: of.delta,
    "Message": lambda of: Frame(b"mesg", Message(of)),
    "Saved": lambda of: Frame(b"save", Saved(of)),
}


def parse(text):
    """The form of a type: a name, and in brackets what it is made of."""
    words = re.findall(r"\w+|\S", text)

    def form():
        name = "" if words[:1] == ["("] else words.pop(0)
        parts, close = [], {"<": ">", "(": ")"}.get("".join(words[:1]))
        if close:
            words.pop(0)
            while words[0] != close:
                parts.append(form())
                if words[0] == ",":
                    words.pop(0)
            words.pop(0)
        return TYPES[name](*parts)

    try:
        return form()
    except (AttributeError, IndexError, KeyError, TypeError) as error:
        sys.exit(f"no type: {text} ({error!r})")


def answer(line):
    asked = json.loads(line)
    try:
        return {"json": parse(asked["type"]).decode(bytes.fromhex(asked["hex"]))}
    except Refused as refused:
        return {"refused": str(refused)}


def main(command="", *args):
    if command == "read" and len(args) == 2:
        try:
            print(json.dumps(parse(args[0]).decode(bytes.fromhex(args[1]))))
        except (Refused, ValueError) as refused:
            print(refused, file=sys.stderr)
            return 65
    elif command == "write" and len(args) == 2:
        print(parse(args[0]).encode(json.loads(args[1])).hex())
    elif command == "lines" and not args:
        for line in sys.stdin:
            print(json.dumps(answer(line)))
    else:
        print(__doc__, file=sys.stderr)
        return 64
    return 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
