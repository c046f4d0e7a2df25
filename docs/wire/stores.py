"""The parts "The body" and "Numbers" of docs/WIRE.md: contexts, dots and stores.

A class per form, which reads and writes it side by side. In JSON a dot is [node, stamp], and a
context is [node, [[first, upto], ...]] per node, `first` null where a span starts at the beginning.
"""

from values import Scalar, Signed, Text

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


class Context:
    """The dots that are covered: per node its spans."""

    def read(self, source):
        count = number(source, "a count of nodes")
        base = number(source, "the greatest stamp", STAMPS) if count else 0
        context, node = [], -1
        for _ in range(count):
            node += 1 + number(source, "a node")
            source.need(node < 1 << 32, "a node has more than 32 bits")
            context.append([node, self.spans(source, base)])
        return context

    def spans(self, source, base):
        head = number(source, "a count of spans")
        spans = []
        for index in range((head >> 1) + 1):
            upto = base - number(source, "the end of a span", base + 1)
            whole = index == 0 and head & 1
            first = None if whole else upto - number(source, "the length of a span", upto + 1)
            source.need(not spans or first > spans[-1][1] + 1, "a span touches the one before")
            spans.append([first, upto])
        return spans

    def write(self, sink, context):
        put(sink, len(context))
        base = max((spans[-1][1] for _, spans in context), default=None)
        if context:
            put(sink, base)
        last = -1
        for node, spans in sorted(context):
            put(sink, node - last - 1)
            put(sink, 2 * (len(spans) - 1) + (spans[0][0] is None))
            for first, upto in spans:
                put(sink, base - upto)
                if first is not None:
                    put(sink, upto - first)
            last = node


class VectorClock(Context):
    """The last stamp of each node."""

    def read(self, source):
        context = super().read(source)
        for _, spans in context:
            source.need(len(spans) == 1 and spans[0][0] is None, "a vector clock has no gaps")
        return [[node, spans[0][1]] for node, spans in context]

    def write(self, sink, clock):
        super().write(sink, [[node, [[None, upto]]] for node, upto in clock])


class Dots:
    """The way from dot to dot through a store, against the nodes of the contexts before it."""

    def __init__(self, *contexts):
        self.spans, self.last, self.index = {}, {}, 0
        for node, spans in sorted(sum(contexts, [])):
            self.spans.setdefault(node, []).extend(spans)
            self.last[node] = max(spans[-1][1], self.last.get(node, 0))
        self.nodes = sorted(self.last)

    def read(self, source, way):
        """The dot whose node is `way` away; its gap follows."""
        below, way = way & 1, way >> 1
        self.index += -(way + 1 >> 1) if way & 1 else way >> 1
        source.need(0 <= self.index < len(self.nodes), f"node {self.index} is not in the context")
        node = self.nodes[self.index]
        gap = number(source, "a gap")
        stamp = self.last[node] + (-gap if below else gap)
        covered = any((first or 0) <= stamp <= upto for first, upto in self.spans[node])
        source.need(covered, f"the dot ({node}, {stamp}) is not covered")
        self.last[node] = stamp
        return [node, stamp]

    def write(self, dot):
        """The way to its node, and its gap."""
        node, stamp = dot
        to = self.nodes.index(node)
        way = 2 * (to - self.index) if to >= self.index else 2 * (self.index - to) - 1
        gap = stamp - self.last[node]
        self.index, self.last[node] = to, stamp
        return 2 * way + (gap < 0), abs(gap)


def by_stamp(entry):
    return entry[1], entry[0]


# Stores. Each has a number, its shape; knows which of its dots is least; and has a form without
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
        return store

    def write(self, sink, dots, store):
        if not store:
            put(sink, 0)
        for left, dot in zip(range(len(store) - 1, -1, -1), sorted(store, key=by_stamp)):
            way, gap = dots.write(dot)
            put(sink, 1 + 2 * way + (left > 0))
            put(sink, gap)

    def least(self, store):
        return min((entry[:2] for entry in store), default=[])

    def gone(self):
        return self


class Fun(Set):
    shape = 2

    def __init__(self, value):
        self.value = value

    def read(self, source, dots):
        return [
            dots.read(source, number(source, "a dot")) + [self.value.read(source)]
            for _ in range(number(source, "a count of dots"))
        ]

    def write(self, sink, dots, store):
        put(sink, len(store))
        for node, stamp, value in sorted(store, key=by_stamp):
            for part in dots.write([node, stamp]):
                put(sink, part)
            self.value.write(sink, value)

    def gone(self):
        return Set()


class Stores:
    """A map of keys to stores."""

    def __init__(self, key, store):
        self.key, self.store, self.shape = key, store, 4 * store.shape + 3

    def read(self, source, dots):
        return [
            [self.key.read(source), self.store.read(source, dots)]
            for _ in range(number(source, "a count of keys"))
        ]

    def write(self, sink, dots, store):
        put(sink, len(store))
        for key, below in sorted(store, key=self.order):
            self.key.write(sink, key)
            self.store.write(sink, dots, below)

    def order(self, entry):
        key = self.key.order(entry[0])
        return [self.store.least(entry[1]), key] if isinstance(self.store, Set) else key

    def gone(self):
        return Stores(self.key, self.store.gone())


class Branch:
    """A place in a document."""

    shape = 4

    def __init__(self, gone=False):
        parts = {"register": Fun(Scalar()), "counter": Fun(Signed(64)), "flag": Set()}
        parts["set"] = Stores(Scalar(), Set())
        self.parts = {name: part.gone() if gone else part for name, part in parts.items()}
        self.parts["map"] = Stores(Text(), self)

    def read(self, source, dots):
        return {name: part.read(source, dots) for name, part in self.parts.items()}

    def write(self, sink, dots, store):
        for name, part in self.parts.items():
            part.write(sink, dots, store[name])

    def gone(self):
        return Branch(gone=True)
