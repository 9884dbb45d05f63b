"""A backend on the gRPC library of Python that does what words in the request ask for. Messages are plain bytes."""

import os
import sys
import threading
from concurrent import futures

import grpc

LIMIT = 50 * 1024 * 1024
cancelled = threading.Event()


def varint(number):
    out = bytearray()
    while number > 0x7F:
        out.append((number & 0x7F) | 0x80)
        number >>= 7
    out.append(number)
    return bytes(out)


def reply(text):
    return b"\x0a" + varint(len(text)) + text


def hang(context):
    gone = threading.Event()
    # A call that has ended already takes no callback.
    if context.add_callback(gone.set):
        gone.wait()
    cancelled.set()


def fail(context):
    context.abort(grpc.StatusCode.RESOURCE_EXHAUSTED, "queue füll, 100% sure")


def unary(request, context):
    if b"FAIL" in request:
        fail(context)
    if b"HANG" in request:
        hang(context)
    if b"WAS_CANCELLED" in request:
        return reply(b"yes" if cancelled.is_set() else b"no")
    if b"SIZE" in request:
        return reply(str(len(request)).encode())
    if b"BIG" in request:
        return reply(b"a" * (LIMIT - 5))
    if b"GZIP" in request:
        context.set_compression(grpc.Compression.Gzip)
        return reply(b"squeezed " * 1000)
    if b"TRAILERS" in request:
        context.set_trailing_metadata((("svc-finish-reason", "stop"),))
    return reply(b"hello")


def stream(request, context):
    if b"MANY" in request:
        for index in range(5000):
            yield reply(b"%d " % index)
        return
    if b"GZIP" in request:
        context.set_compression(grpc.Compression.Gzip)
    yield reply(b"a")
    if b"FAIL" in request:
        fail(context)
    if b"HANG" in request:
        hang(context)
    if b"EXIT" in request:
        os._exit(1)
    yield reply(b"b")
    yield reply(b"c")


def health(request, context):
    return reply(b"OK")


def embedding(request, context):
    return b"\x0a\x08\x00\x00\x80\x3f\x00\x00\x00\xc0\x18\x02"


def tokenize(request, context):
    return b"\x08\x02\x12\x03\x07\xac\x02"


same = {"request_deserializer": None, "response_serializer": None}
handlers = {
    "Health": grpc.unary_unary_rpc_method_handler(health, **same),
    "Predict": grpc.unary_unary_rpc_method_handler(unary, **same),
    "PredictStream": grpc.unary_stream_rpc_method_handler(stream, **same),
    "Embedding": grpc.unary_unary_rpc_method_handler(embedding, **same),
    "TokenizeString": grpc.unary_unary_rpc_method_handler(tokenize, **same),
}
options = [("grpc.max_receive_message_length", LIMIT), ("grpc.max_send_message_length", LIMIT)]
server = grpc.server(futures.ThreadPoolExecutor(max_workers=16), options=options)
server.add_generic_rpc_handlers((grpc.method_handlers_generic_handler("backend.Backend", handlers),))
server.add_insecure_port(sys.argv[1])
server.start()
server.wait_for_termination()
