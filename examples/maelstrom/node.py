#!/usr/bin/env python3
"""A node for `guid maelstrom test broadcast` and `g-set`, in forty lines:

    guid maelstrom test g-set --partition --loss 10% --bin python3 -- examples/maelstrom/node.py

It keeps a set, and tells the others all of it five times a second. Telling twice does no harm, so
nothing needs to be acknowledged. What it does not do is outlive a kill: try --kill.
"""
import json, queue, sys, threading

lines, me, others, elements = queue.Queue(), None, [], set()


def send(to, **body):
    print(json.dumps({"src": me, "dest": to, "body": body}), flush=True)


def read():
    for line in sys.stdin:
        lines.put(json.loads(line))
    lines.put(None)


threading.Thread(target=read, daemon=True).start()
while True:
    try:
        message = lines.get(timeout=0.2)
    except queue.Empty:
        for other in others:
            send(other, type="gossip", elements=sorted(elements))
        continue
    if message is None:
        break
    client, body = message["src"], message["body"]
    kind, answer = body["type"], {"in_reply_to": body.get("msg_id")}
    if kind == "init":
        me, others = body["node_id"], [n for n in body["node_ids"] if n != body["node_id"]]
        send(client, type="init_ok", **answer)
    elif kind == "gossip":
        elements.update(body["elements"])
    elif kind in ("add", "broadcast"):
        elements.add(body["element" if kind == "add" else "message"])
        send(client, type=kind + "_ok", **answer)
    elif kind == "read":
        key = "messages" if "broadcast" in sys.argv else "value"
        send(client, type="read_ok", **{key: sorted(elements)}, **answer)
    else:
        send(client, type=kind + "_ok", **answer)
