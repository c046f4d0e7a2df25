"""The part "The body" of docs/WIRE.md: contexts, dots and stores.

A class per form, which reads and writes it side by side. What is read is the JSON of the crate,
where a node is eight hex digits and a stamp a text: a dot {"stamp": "1000", "node": "00000007"},
a span {"node": "00000007", "after": null, "upto": "1000"}.
"""
from values import SCALAR, Signed, Text

STAMPS = 1 << 61


def number(source, what, below=1 << 64):
    """A number of the format itself: LEB128."""
    value = shift = 0
    while True:
        byte = source.take(1, what)[0]
        value |= (byte & 127) << shift
        source.need(value < below, f"{what} is {below} or more")
        source.need(byte or not shift, f"{what} is written longer than it is")
        shift += 7
        if byte < 128:
            return value


def put(sink, value):
    while value > 127:
        sink.append(value & 127 | 128)
        value >>= 7
    sink.append(value)


def dot_to_json(node, stamp):
    return {"stamp": str(stamp), "node": f"{node:08x}"}


def dot_of(json):
    return int(json["node"], 16), int(json["stamp"])


def by_stamp(dot):
    return dot_of(dot)[::-1]


def ascending(source, places, what):
    source.need(all(a < b for a, b in zip(places, places[1:])), f"{what} twice or not ascending")


class Context:
    """The dots that are covered: spans, ascending, that do not touch."""

    def read(self, source):
        count = number(source, "a count of nodes")
        base = number(source, "the greatest stamp", STAMPS) if count else 0
        context, node = [], -1
        for _ in range(count):
            node += 1 + number(source, "a node")
            source.need(node < 1 << 32, "a node has more than 32 bits")
            context += self.spans(source, node, base)
        return context

    def spans(self, source, node, base):
        head = number(source, "a count of spans")
        spans, last = [], None
        for index in range((head >> 1) + 1):
            upto = base - number(source, "the end of a span", base + 1)
            first = 0
            if index or not head & 1:
                first = upto - number(source, "the length of a span", upto + 1)
            source.need(last is None or last + 1 < first, "a span touches the one before")
            after, last = str(first - 1) if first else None, upto
            spans.append({"node": f"{node:08x}", "after": after, "upto": str(upto)})
        return spans

    def write(self, sink, context):
        nodes = {}
        for span in context:
            after, upto = span["after"], int(span["upto"])
            first = 0 if after is None else int(after) + 1
            nodes.setdefault(int(span["node"], 16), []).append((first, upto))
        put(sink, len(nodes))
        base = max((spans[-1][1] for spans in nodes.values()), default=0)
        if nodes:
            put(sink, base)
        last = -1
        for node, spans in sorted(nodes.items()):
            put(sink, node - last - 1)
            put(sink, 2 * (len(spans) - 1) + (spans[0][0] == 0))
            for first, upto in spans:
                put(sink, base - upto)
                if first:
                    put(sink, upto - first)
            last = node


class Prefix(Context):
    """A context in which nothing is missing below anything."""

    def read(self, source):
        context = super().read(source)
        source.need(all(span["after"] is None for span in context), "the context has a hole")
        return context


class VectorClock(Prefix):
    """The last stamp of each node."""

    def read(self, source):
        return {span["node"]: span["upto"] for span in super().read(source)}

    def write(self, sink, clock):
        spans = [{"node": node, "after": None, "upto": upto} for node, upto in clock.items()]
        super().write(sink, spans)


class Dots:
    """The way from dot to dot through a store, against the nodes of the contexts before it."""

    def __init__(self, *contexts):
        self.spans, self.last, self.index = {}, {}, 0
        for span in sum(contexts, []):
            node, first = int(span["node"], 16), int(span["after"] or -1) + 1
            self.spans.setdefault(node, []).append((first, int(span["upto"])))
            self.last[node] = max(self.last.get(node, 0), int(span["upto"]))
        self.nodes = sorted(self.last)

    def covers(self, dot):
        node, stamp = dot_of(dot)
        return any(first <= stamp <= upto for first, upto in self.spans.get(node, []))

    def read(self, source, head):
        """The dot whose node is `head` away; its gap follows."""
        way, is_below = head >> 1, head & 1
        self.index += -(way + 1 >> 1) if way & 1 else way >> 1
        source.need(0 <= self.index < len(self.nodes), f"node {self.index} is not in the context")
        node = self.nodes[self.index]
        gap = number(source, "a gap")
        self.last[node] += -gap if is_below else gap
        dot = dot_to_json(node, self.last[node])
        source.need(self.covers(dot), f"the context does not hold the dot {dot}")
        return dot

    def write(self, dot):
        """The way to its node, and its gap."""
        node, stamp = dot_of(dot)
        to, gap = self.nodes.index(node), stamp - self.last[node]
        way = 2 * (to - self.index) if to >= self.index else 2 * (self.index - to) - 1
        self.index, self.last[node] = to, stamp
        return 2 * way + (gap < 0), abs(gap)


# Stores. Each has a number, its shape; names its dots with their paths; and has a form without
# values, in which a delta tells what is gone.


class Set:
    shape = 1

    def read(self, source, dots):
        store, more = [], True
        while more:
            head = number(source, "a dot")
            if head == 0 and not store:
                break
            source.need(head > 0, "a dot was to follow")
            more = (head - 1) & 1
            store.append(dots.read(source, head - 1 >> 1))
        ascending(source, [by_stamp(dot) for dot in store], "dots")
        return store

    def write(self, sink, dots, store):
        if not store:
            put(sink, 0)
        for left, dot in zip(range(len(store) - 1, -1, -1), sorted(store, key=by_stamp)):
            head, gap = dots.write(dot)
            put(sink, 1 + 2 * head + (left > 0))
            put(sink, gap)

    def paths(self, store):
        return [((), dot) for dot in store]

    def gone(self):
        return self


class Fun(Set):
    shape = 2

    def __init__(self, value):
        self.value = value

    def read(self, source, dots):
        store = [
            [dots.read(source, number(source, "a dot")), self.value.read(source)]
            for _ in range(number(source, "a count of dots"))
        ]
        ascending(source, [by_stamp(dot) for dot, _ in store], "dots")
        return store

    def write(self, sink, dots, store):
        put(sink, len(store))
        for dot, value in sorted(store, key=lambda entry: by_stamp(entry[0])):
            for part in dots.write(dot):
                put(sink, part)
            self.value.write(sink, value)

    def paths(self, store):
        return [((), dot) for dot, _ in store]

    def gone(self):
        return Set()


class Stores:
    """A map of keys to stores; in JSON in the order of the keys."""

    def __init__(self, key, store):
        self.key, self.store, self.shape = key, store, (4 * store.shape + 3) % (1 << 16)

    def read(self, source, dots):
        store = []
        for _ in range(number(source, "a count of keys")):
            store.append([self.key.read(source), self.store.read(source, dots)])
            source.need(self.store.paths(store[-1][1]), "a key has no dot")
        store.sort(key=self.by_key)
        ascending(source, [self.by_key(entry) for entry in store], "keys")
        return store

    def write(self, sink, dots, store):
        put(sink, len(store))
        by_least = self.by_least if isinstance(self.store, Set) else self.by_key
        for key, below in sorted(store, key=by_least):
            self.key.write(sink, key)
            self.store.write(sink, dots, below)

    def by_key(self, entry):
        return self.key.order(entry[0])

    def by_least(self, entry):
        return min(dot_of(dot) for _, dot in self.store.paths(entry[1])), self.by_key(entry)

    def paths(self, store):
        paths = self.store.paths
        return [((str(key), *path), dot) for key, below in store for path, dot in paths(below)]

    def gone(self):
        return Stores(self.key, self.store.gone())


class Branch:
    """A place in a document. `depth` is how many may be from here on downwards."""

    shape = 4

    def __init__(self, is_gone=False, depth=64):
        parts = {"register": Fun(SCALAR), "counter": Fun(Signed(64)), "flag": Set()}
        parts["set"] = Stores(SCALAR, Set())
        self.parts = {name: part.gone() if is_gone else part for name, part in parts.items()}
        self.is_gone, self.depth = is_gone, depth

    def forms(self):
        return self.parts | {"map": Stores(Text(), Branch(self.is_gone, self.depth - 1))}

    def read(self, source, dots):
        source.need(self.depth > 0, "a document is more than 64 deep")
        return {name: form.read(source, dots) for name, form in self.forms().items()}

    def write(self, sink, dots, store):
        for name, form in self.forms().items():
            form.write(sink, dots, store[name])

    def paths(self, store):
        return [
            ((name, *path), dot)
            for name, form in self.forms().items()
            for path, dot in form.paths(store[name])
        ]

    def gone(self):
        return Branch(True)
