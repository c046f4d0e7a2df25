#!/usr/bin/env python3
"""Reads and writes what docs/WIRE.md describes, made from that page: no line of Rust is behind it.

    reader.py read 'OrSet<String>' 676301...     the value as JSON, or at which byte it is none
    reader.py write 'OrSet<String>' '{...}'      the bytes of such JSON
    reader.py lines < wire.jsonl                 the same, a line each: {"type": ..., "hex": ...} is
                                                 read, {"type": ..., "json": ...} is written, and
                                                 {"json"}, {"hex"} or {"refused"} is the answer

A type is written as in Rust: OrMap<String, OrSet<u64>>, Delta<Doc>, Message<Max<i64>>, Saved<Doc>.
The JSON is what serde makes of the same value in Rust. Values are in values.py, contexts and stores
in stores.py; here is what holds them, up to a frame.
"""
import json, re, sys, zlib

sys.dont_write_bytecode = True
from stores import (
    Branch, Context, Dots, Fun, Prefix, Set, Stores, VectorClock, ascending, dot_of, dot_to_json,
    number, put,
)
from values import (
    SCALAR, Bool, Byte, Char, List, Map, Node, Option, Refused, Signed, Source, Stamp, Struct, Text,
    Tuple, Unsigned,
)


class State:
    """A causal state: its context, its store."""

    def __init__(self, store):
        self.store = store

    def read(self, source):
        context = Prefix().read(source)
        return {"store": self.store.read(source, Dots(context)), "context": context}

    def write(self, sink, state):
        Context().write(sink, state["context"])
        self.store.write(sink, Dots(state["context"]), state["store"])


class Delta:
    """Of a causal state. The dots it builds on are those that are gone and not in its intervals."""

    def __init__(self, store):
        self.store, self.gone = store, store.gone()

    def read(self, source):
        intervals, builds_on = Context().read(source), Context().read(source)
        nodes = [span["node"] for span in intervals]
        source.need(len(nodes) == len(set(nodes)), "two intervals of a node")
        dots, own = Dots(intervals, builds_on), Dots(intervals)
        added, gone = self.store.read(source, dots), self.gone.read(source, dots)
        paths = self.store.paths(added)
        source.need(all(own.covers(dot) for _, dot in paths), "a dot is not in the intervals")
        both = [dot for dot in self.gone.paths(gone) if dot in paths]
        source.need(not both, f"added and gone: {both}")
        return {"added": added, "gone": gone, "intervals": intervals}

    def write(self, sink, delta):
        builds_on = self.builds_on(delta)
        Context().write(sink, delta["intervals"])
        Context().write(sink, builds_on)
        dots = Dots(delta["intervals"], builds_on)
        self.store.write(sink, dots, delta["added"])
        self.gone.write(sink, dots, delta["gone"])

    def builds_on(self, delta):
        own, spans = Dots(delta["intervals"]), []
        gone = [dot for _, dot in self.gone.paths(delta["gone"]) if not own.covers(dot)]
        for node, stamp in sorted(set(map(dot_of, gone))):
            dot = dot_to_json(node, stamp)
            after = str(stamp - 1) if stamp else None
            if spans and (spans[-1]["node"], spans[-1]["upto"]) == (dot["node"], after):
                spans[-1]["upto"] = dot["stamp"]
            else:
                spans.append({"node": dot["node"], "after": after, "upto": dot["stamp"]})
        return spans


class Tally:
    """Of each node its last dot and its total."""

    def __init__(self, total):
        self.total = total

    def read(self, source):
        clock = VectorClock().read(source)
        dots = [{"stamp": stamp, "node": node} for node, stamp in clock.items()]
        return [[dot, self.total.read(source)] for dot in dots]

    def write(self, sink, tally):
        VectorClock().write(sink, {dot["node"]: dot["stamp"] for dot, _ in tally})
        for _, total in sorted(tally, key=lambda entry: dot_of(entry[0])):
            self.total.write(sink, total)


class Latest:
    """Of each key the dot and the value of its last write."""

    def __init__(self, key, value):
        self.key, self.value = key, value

    def read(self, source):
        context = Context().read(source)
        dots, entries = Dots(context), []
        for _ in range(number(source, "a count of keys")):
            key = self.key.read(source)
            dot = dots.read(source, number(source, "a dot"))
            entries.append([key, dot, self.value.read(source)])
        ascending(source, [self.key.order(key) for key, _, _ in entries], "keys")
        return {"entries": entries, "context": context}

    def write(self, sink, latest):
        Context().write(sink, latest["context"])
        dots = Dots(latest["context"])
        put(sink, len(latest["entries"]))
        for key, dot, value in sorted(latest["entries"], key=lambda e: self.key.order(e[0])):
            self.key.write(sink, key)
            for part in dots.write(dot):
                put(sink, part)
            self.value.write(sink, value)


class Register:
    """The dot and the value of the one write that counts, or null."""

    def __init__(self, value):
        self.value = value

    def read(self, source):
        spans = Context().read(source)
        if not spans:
            return None
        [span, *more], stamp = spans, int(spans[0]["upto"])
        alone = not more and int(span["after"] or -1) == stamp - 1
        source.need(alone, "a register has one dot")
        return [{"stamp": span["upto"], "node": span["node"]}, self.value.read(source)]

    def write(self, sink, register):
        if register is None:
            return Context().write(sink, [])
        dot, value = register
        after = str(int(dot["stamp"]) - 1) if int(dot["stamp"]) else None
        Context().write(sink, [{"node": dot["node"], "after": after, "upto": dot["stamp"]}])
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
    """Each with what is said of it, in their order."""

    def read(self, source):
        values = super().read(source)
        ascending(source, [self.of.order(value)[0] for value in values], "elements")
        return values

    def write(self, sink, values):
        super().write(sink, sorted(values, key=self.of.order))


class Message:
    """Between replicas of one type."""

    def __init__(self, of):
        seen, needs = of.version, Struct(node=Node(), have=Option(Stamp()), needs=Stamp())
        self.tag = of.tag
        self.kinds = {
            "Greeting": seen,
            "Deltas": Struct(deltas=Many(of.delta.body), seen=seen),
            "State": of.body,
            "Gap": Struct(gap=needs, seen=seen),
        }

    def read(self, source):
        same_tag(source, self.tag)
        kind = list(self.kinds)[number(source, "a kind of message", len(self.kinds))]
        return {kind: self.kinds[kind].read(source)}

    def write(self, sink, message):
        [[kind, value]] = message.items()
        sink += self.tag
        put(sink, list(self.kinds).index(kind))
        self.kinds[kind].write(sink, value)


class Saved(Struct):
    """All that a replica continues with."""

    def __init__(self, of):
        dot = Struct(stamp=Stamp(), node=Node())
        collision = Struct(dot=dot, issued=Option(Stamp()))
        super().__init__(
            node=Node(), last=Stamp(), issued=Option(Stamp()), collision=Option(collision),
            state=of.body,
        )
        self.tag = of.tag

    def read(self, source):
        same_tag(source, self.tag)
        return super().read(source)

    def write(self, sink, saved):
        sink += self.tag
        super().write(sink, saved)


class Frame:
    """A body between a head and a checksum; and what its type has for a delta and a version."""

    def __init__(self, tag, body, delta=None, version=None):
        self.tag, self.body, self.delta, self.version = tag, body, delta or self, version or body

    def decode(self, data):
        source = Source(data)
        source.need(len(data) >= 11, f"{len(data)} bytes are no frame, which has 11 or more")
        source.need(source.take(2, "") == b"gc", "a frame begins with gc")
        checksum = int.from_bytes(data[-4:], "little")
        source.need(zlib.crc32(data[:-4]) == checksum, "the checksum does not fit")
        version = source.take(1, "")[0]
        source.need(version == 1, f"version {version} is not known")
        same_tag(source, self.tag)
        source.data = data[:-4]
        value = self.body.read(source)
        source.need(source.at == len(source.data), "bytes are left")
        again = self.encode(value)
        if again != data:
            at = [a == b for a, b in zip(again, data)].index(False)
            raise Refused(f"byte {at}: what is said here has other bytes")
        return value

    def encode(self, value):
        sink = bytearray(b"gc\1" + self.tag)
        self.body.write(sink, value)
        return bytes(sink + zlib.crc32(sink).to_bytes(4, "little"))


def same_tag(source, tag):
    found = source.take(4, "a tag")
    source.need(found == tag, f"the tag is {found}, expected {tag}")


def causal(tag, store):
    delta = Frame(b"dl" + store.shape.to_bytes(2, "big"), Delta(store))
    return Frame(tag, State(store), delta, Context())


def unnamed(of):
    return causal(b"ca" + of.body.store.shape.to_bytes(2, "big"), of.body.store)


def tally(tag, total):
    return Frame(tag, Tally(total), version=VectorClock())


U64, I64, UNIT = Unsigned(64), Signed(64), Tuple()
VALUES = {
    "u8": Byte, "u16": lambda: Unsigned(16), "u32": lambda: Unsigned(32), "u64": lambda: U64,
    "u128": lambda: Unsigned(128), "i8": lambda: Byte(signed=True), "i16": lambda: Signed(16),
    "i32": lambda: Signed(32), "i64": lambda: I64, "i128": lambda: Signed(128), "bool": Bool,
    "char": Char, "String": Text, "Vec": List, "BTreeMap": Map, "Option": Option,
    "NodeId": Node, "Stamp": Stamp, "Scalar": lambda: SCALAR, "": Tuple,
}
CAUSAL = {
    "MvRegister": lambda value: causal(b"mvrg", Fun(value)),
    "ResettableCounter": lambda: causal(b"rctr", Fun(I64)),
    "EwFlag": lambda: causal(b"ewfl", Set()),
    "DwFlag": lambda: causal(b"dwfl", Fun(Bool())),
    "OrSet": lambda value: causal(b"orst", Stores(value, Set())),
    "RwSet": lambda value: causal(b"rwst", Stores(value, Fun(Bool()))),
    "AwLwwMap": lambda key, value: causal(b"awlm", Stores(key, Fun(value))),
    "OrMap": lambda key, below: causal(b"ormp", Stores(key, below.body.store)),
    "Doc": lambda: causal(b"docm", Stores(Text(), Branch())),
    "Causal": unnamed,
}
OTHERS = {
    "LwwRegister": lambda value: Frame(b"lwwr", Register(value)),
    "FwwRegister": lambda value: Frame(b"fwwr", Register(value)),
    "Max": lambda value: Frame(b"maxr", Option(value)),
    "Min": lambda value: Frame(b"minr", Option(value)),
    "GSet": lambda value: Frame(b"gset", Elements(Tuple(value, UNIT))),
    "TwoPhaseSet": lambda value: Frame(b"2pst", Elements(Tuple(value, Bool()))),
    "GCounter": lambda: tally(b"gctr", U64),
    "PnCounter": lambda: tally(b"pctr", I64),
    "BoundedCounter": lambda: tally(b"bctr", Tuple(U64, U64, Map(Node(), U64))),
    "LwwSet": lambda value: Frame(b"lwws", Latest(value, Bool()), version=Context()),
    "LwwMap": lambda key, value: Frame(b"lwwm", Latest(key, Option(value)), version=Context()),
    "VectorClock": lambda: Frame(b"vclk", VectorClock()),
    "CausalContext": lambda: Frame(b"ctxt", Context()),
    "Delta": lambda of: of.delta,
    "Message": lambda of: Frame(b"mesg", Message(of)),
    "Saved": lambda of: Frame(b"save", Saved(of)),
}
TYPES = VALUES | CAUSAL | OTHERS


def parse(text):
    """The form of a type: a name, and in brackets what it is made of."""
    words = re.findall(r"\w+|\S", text)

    def form():
        name = words.pop(0) if words[0] != "(" else ""
        parts, close = [], {"<": ">", "(": ")"}.get(words[0] if words else "")
        if close:
            words.pop(0)
            while words[0] != close:
                parts.append(form())
                words[0] != "," or words.pop(0)
            words.pop(0)
        return TYPES[name](*parts)

    try:
        return form()
    except (AttributeError, IndexError, KeyError, TypeError):
        print(f"no type that is known here: {text}", file=sys.stderr)
        sys.exit(64)


def answer(line):
    asked = json.loads(line)
    form = parse(asked["type"])
    if "hex" not in asked:
        return {"hex": form.encode(asked["json"]).hex()}
    try:
        return {"json": form.decode(bytes.fromhex(asked["hex"]))}
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
