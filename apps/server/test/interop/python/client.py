"""
A host in Python: starts a backend as its own child, as hosts do, and makes the calls it is told on standard input.

One line of JSON a call: {"rpc": "Predict", "request": {...}}, with "token" to send another token than the child's
(null: none), "take" to cancel after so many replies, "service" for another than backend.Backend. One line of JSON
an answer: {"replies": [...]}, beside them "code" and "details" where it failed. The first line says {"pid", "address"}.
"""

import argparse
import json
import os
import socket
import subprocess
import sys
import time

import grpc
from google.protobuf import json_format

from contract import MESSAGE_LIMITS, Contract


def free_address():
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return "127.0.0.1:%d" % probe.getsockname()[1]


def wait_until_it_listens(address, child):
    host, port = address.split(":")
    end = time.monotonic() + 60
    while True:
        try:
            socket.create_connection((host, int(port)), timeout=5).close()
            return
        except OSError:
            if child.poll() is not None or time.monotonic() > end:
                sys.exit("the backend does not listen; exit code %s" % child.returncode)
        time.sleep(0.02)


def expect_health(contract, channel, metadata):
    health = contract.methods["/backend.Backend/Health"]
    reply = health.caller(channel)(contract.HealthMessage(), metadata=metadata, timeout=30)
    if reply.message != b"OK":
        sys.exit("not healthy: %r" % reply.message)


def call(contract, channel, asked, token):
    method = contract.methods["/%s/%s" % (asked.get("service", "backend.Backend"), asked["rpc"])]
    request = json_format.ParseDict(asked.get("request", {}), method.request())
    sent = asked.get("token", token)
    metadata = [] if sent is None else [("authorization", "Bearer " + sent)]
    replies = []
    try:
        answer = method.caller(channel)(request, metadata=metadata, timeout=120)
        for reply in answer if method.reply_streams else [answer]:
            replies.append(json_format.MessageToDict(reply, preserving_proto_field_name=True))
            if len(replies) == asked.get("take"):
                answer.cancel()
    except grpc.RpcError as error:
        return {"replies": replies, "code": error.code().name, "details": error.details()}
    return {"replies": replies}


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--contract", required=True)
    arguments.add_argument("--token", default=None)
    arguments.add_argument("command", nargs="+")
    options = arguments.parse_args()
    contract = Contract(options.contract)
    address = free_address()
    environment = dict(os.environ, LOCALAI_BACKEND_PARENT_WATCH_INTERVAL="100ms")
    if options.token is not None:
        environment["LOCALAI_GRPC_AUTH_TOKEN"] = options.token
    child = subprocess.Popen(
        options.command + ["--addr", address],
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=sys.stderr,
        start_new_session=True,
    )
    metadata = [] if options.token is None else [("authorization", "Bearer " + options.token)]
    wait_until_it_listens(address, child)
    with grpc.insecure_channel(address, options=MESSAGE_LIMITS) as channel:
        expect_health(contract, channel, metadata)
        print(json.dumps({"pid": child.pid, "address": address}), flush=True)
        for line in sys.stdin:
            print(json.dumps(call(contract, channel, json.loads(line), options.token)), flush=True)
    child.terminate()
    sys.exit(child.wait(timeout=30))


if __name__ == "__main__":
    main()
