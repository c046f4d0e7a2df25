"""Nodes that are wrong on purpose, each in one way: what a test is worth that they pass?"""
import json, sys

fault, me, others, elements, total, made = sys.argv[1], None, [], set(), 0, 0


def send(to, **body):
    print(json.dumps({"src": me, "dest": to, "body": body}), flush=True)


for line in sys.stdin:
    message = json.loads(line)
    client, body = message["src"], message["body"]
    kind, answer = body["type"], {"in_reply_to": body.get("msg_id")}
    if kind == "init":
        me, others = body["node_id"], [n for n in body["node_ids"] if n != body["node_id"]]
        send(client, type="init_ok", **answer)
        if fault == "babbles":
            print("hello!", flush=True)
        if fault == "floods":
            print("\x1b[31mhello!\n" * 100_000, flush=True)
        if fault == "dies":
            sys.exit("out of cheese")
    elif fault == "mute":
        pass
    elif kind == "echo":
        send(client, type="echo_ok", echo="pardon?", **answer)
    elif kind == "generate":  # the count of this node alone: others count the same
        made += 1
        send(client, type="generate_ok", id=made, **answer)
    elif kind == "add" and "element" in body:  # tells nobody
        elements.add(body["element"])
        send(client, type="add_ok", **answer)
    elif kind == "add":  # tells everybody, twice, as if adding were idempotent
        total += body["delta"]
        for other in 2 * others:
            send(other, type="added", delta=body["delta"])
        send(client, type="add_ok", **answer)
    elif kind == "added":
        total += body["delta"]
    elif kind == "read":
        value = total if fault == "double" else sorted(elements)
        if fault.startswith("reads "):
            value = json.loads(fault.removeprefix("reads "))
        extra = {"elements": value} if fault == "extra" else {}
        send(client, type="read_ok", value=value, **extra, **answer)
