"""
A model backend in Python, written against the contract alone: plain grpc, handlers by hand.

Its engine says the words of what it was asked in reverse order, in pieces of four bytes that need not end with a
character. Options of the loaded model make it fail in the ways that backends do:

  record:FILE          append a line of JSON for each call
  load:refuse          LoadModel answers success=false       load:fail   LoadModel fails with code 2
  load:exit            the process ends in LoadModel
  without:RPC          the rpc is not there: grpc itself answers code 12
  vague:RPC            the rpc fails with code 2 and the text "unimplemented", as backends on a common base do
  lose_after:N         forgets its model after N predictions
  die_after:N          ends by KILL after N pieces of a stream
  endless:true         never stops saying the words          pause:MS    pause between two pieces
  stubborn:true        ignores TERM
  helper:true          leaves a helper process in its group
"""

import argparse
import array
import json
import math
import os
import signal
import subprocess
import sys
import threading
import time
import wave
from concurrent import futures

import grpc

from contract import MESSAGE_LIMITS, Contract
from images import create_images

FOLDER = os.path.dirname(os.path.abspath(__file__))
CONTRACT = Contract(os.path.join(FOLDER, "contract.pb"))
PIECE_BYTES = 4
DIMENSION = 16
VOICE_RATE = 22050


class Backend(create_images(CONTRACT), grpc.GenericRpcHandler):
    """All rpcs this backend has; any other path is unknown to the server, which then says so."""

    def __init__(self):
        self.model = None
        self.options = {}
        self.predictions = 0
        self.record_file = None
        self.store = {}

    # what grpc asks

    def service(self, call):
        method = CONTRACT.methods.get(call.method)
        rpc = call.method.rsplit("/", 1)[-1]
        if method is None or not call.method.startswith("/backend.Backend/"):
            return None
        function = getattr(self, rpc, None)
        if function is None or self.options.get("without") == rpc:
            return None
        return method.handler(self._guarded(rpc, function, method.reply_streams))

    def _guarded(self, rpc, function, streams):
        def check(request, context):
            if rpc not in ("Health", "LoadModel"):
                self.record({"rpc": rpc})
            if self.options.get("vague") == rpc:
                context.abort(grpc.StatusCode.UNKNOWN, "unimplemented")
            asked = getattr(request, "ModelIdentity", "")
            if asked and self.model and asked != self.model.Model:
                context.abort(grpc.StatusCode.NOT_FOUND, "model identity mismatch: holds " + self.model.Model)

        def unary(request, context):
            check(request, context)
            return function(request, context)

        def stream(request, context):
            check(request, context)
            yield from function(request, context)

        return stream if streams else unary

    # life

    def Health(self, request, context):
        return CONTRACT.Reply(message=b"OK")

    def LoadModel(self, request, context):
        self.options = dict(option.partition(":")[::2] for option in request.Options)
        self.record_file = self.options.get("record")
        self.record(described(request))
        how = self.options.get("load")
        if how == "refuse":
            return CONTRACT.Result(success=False, message="no such weights")
        if how == "fail":
            context.abort(grpc.StatusCode.UNKNOWN, "the loader broke")
        if how == "exit":
            print("the engine cannot start", file=sys.stderr, flush=True)
            os._exit(3)
        if "helper" in self.options:
            self.record({"helper": subprocess.Popen(["sleep", "600"]).pid})
        self.model = request
        self.predictions = 0
        return CONTRACT.Result(success=True, message="loaded")

    def Free(self, request, context):
        self.model = None
        return CONTRACT.Result(success=True, message="freed")

    def Status(self, request, context):
        state = "READY" if self.model else "UNINITIALIZED"
        return CONTRACT.StatusResponse(state=state, memory={"total": 1 << 20, "breakdown": {"weights": 1 << 20}})

    # the engine

    def Predict(self, request, context):
        words = list(self._predict(request, context))
        reply = self._reply(request, b"".join(words), len(words))
        if request.Tools:
            reply.message = b""
            reply.chat_deltas.add().tool_calls.add(index=0, id="call_1", **self._call(request))
        return reply

    def PredictStream(self, request, context):
        if request.Tools:
            yield from self._stream_call(request)
            return
        said, rest, whole = 0, b"", []
        context.add_callback(lambda: whole or self.record({"left": said}))
        for word in self._predict(request, context):
            said += 1
            rest += word
            while len(rest) >= PIECE_BYTES:
                yield self._reply(request, rest[:PIECE_BYTES], said)
                rest = rest[PIECE_BYTES:]
                self._after_piece(said, context)
        whole.append(True)
        yield self._reply(request, rest, said)

    def _predict(self, request, context):
        self._need_model(context)
        self.predictions += 1
        if self.predictions > int(self.options.get("lose_after", "1000000")):
            self.model = None
            self._need_model(context)
        words = asked(request).split()[::-1]
        count = 0
        while count < len(words) or "endless" in self.options:
            if 0 < request.Tokens <= count or not context.is_active():
                break
            yield (("" if count == 0 else " ") + words[count % len(words)]).encode()
            count += 1

    def _after_piece(self, said, context):
        if said >= int(self.options.get("die_after", "1000000")):
            os.kill(os.getpid(), signal.SIGKILL)
        time.sleep(int(self.options.get("pause", "0")) / 1000)

    def _reply(self, request, text, tokens):
        return CONTRACT.Reply(message=text, tokens=tokens, prompt_tokens=len(asked(request).split()))

    def _call(self, request):
        function = json.loads(request.Tools)[0]["function"]
        return {"name": function["name"], "arguments": json.dumps({"text": asked(request)}, ensure_ascii=False)}

    def _stream_call(self, request):
        call = self._call(request)
        reply = self._reply(request, b"", 1)
        reply.chat_deltas.add().tool_calls.add(index=0, id="call_1", name=call["name"])
        yield reply
        for start in range(0, len(call["arguments"]), 5):
            reply = self._reply(request, b"", 1)
            reply.chat_deltas.add().tool_calls.add(index=0, arguments=call["arguments"][start : start + 5])
            yield reply

    def Embedding(self, request, context):
        self._need_model(context)
        tokens = list(request.EmbeddingTokens) or list(request.Embeddings.encode())
        counts = [0.0] * DIMENSION
        for token in tokens:
            counts[token % DIMENSION] += 1
        length = math.sqrt(sum(count * count for count in counts)) or 1.0
        return CONTRACT.EmbeddingResult(
            embeddings=[count / length for count in counts],
            tokens=1,
            dim=DIMENSION,
            prompt_tokens=len(tokens),
            layout="EMBEDDING_LAYOUT_FINAL",
        )

    def TokenizeString(self, request, context):
        self._need_model(context)
        tokens = list(request.Prompt.encode())
        return CONTRACT.TokenizationResponse(length=len(tokens), tokens=tokens)

    def Detokenize(self, request, context):
        self._need_model(context)
        return CONTRACT.DetokenizeResponse(content=bytes(request.tokens).decode(errors="replace"))

    def Rerank(self, request, context):
        self._need_model(context)
        query = set(request.query.lower().split())
        reply = CONTRACT.RerankResult()
        for index, document in enumerate(request.documents):
            words = set(document.lower().split())
            share = len(query & words) / (len(query) or 1)
            reply.results.add(index=index, text=document, relevance_score=share)
        return reply

    def Score(self, request, context):
        self._need_model(context)
        reply = CONTRACT.ScoreResponse()
        for candidate in request.candidates:
            tokens = len(candidate.encode())
            reply.candidates.add(log_prob=-0.5 * tokens, length_normalized_log_prob=-0.5, num_tokens=tokens)
        return reply

    # the store: values by the floats of their keys

    def StoresSet(self, request, context):
        self._need_store(context)
        if len(request.Keys) != len(request.Values):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "keys and values differ in number")
        for key, value in zip(request.Keys, request.Values):
            self._check_length(key, context)
            self.store[tuple(key.Floats)] = value.Bytes
        return CONTRACT.Result(success=True, message="set")

    def StoresDelete(self, request, context):
        self._need_store(context)
        for key in request.Keys:
            self.store.pop(tuple(key.Floats), None)
        return CONTRACT.Result(success=True, message="deleted")

    def StoresGet(self, request, context):
        self._need_store(context)
        reply = CONTRACT.StoresGetResult()
        # in an order of its own, as the contract allows
        for key in reversed(request.Keys):
            if tuple(key.Floats) in self.store:
                reply.Keys.add(Floats=key.Floats)
                reply.Values.add(Bytes=self.store[tuple(key.Floats)])
        return reply

    def StoresFind(self, request, context):
        self._need_store(context)
        self._check_length(request.Key, context)
        near = sorted(self.store, key=lambda key: -cosine(key, request.Key.Floats))[: request.TopK]
        reply = CONTRACT.StoresFindResult(Similarities=[cosine(key, request.Key.Floats) for key in near])
        for key in near:
            reply.Keys.add(Floats=key)
            reply.Values.add(Bytes=self.store[key])
        return reply

    def _check_length(self, key, context):
        if any(len(other) != len(key.Floats) for other in self.store):
            context.abort(grpc.StatusCode.INVALID_ARGUMENT, "all keys of a store have one length")

    def _need_store(self, context):
        self._need_model(context)
        if not self.model.Model.startswith("store://"):
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "not loaded as a store: " + self.model.Model)

    # sound

    def TTS(self, request, context):
        self._need_model(context)
        with wave.open(request.dst, "wb") as sound:
            sound.setnchannels(1)
            sound.setsampwidth(2)
            sound.setframerate(VOICE_RATE)
            for word in request.text.split():
                sound.writeframes(spoken(word))
        return CONTRACT.Result(success=True, message="written")

    def TTSStream(self, request, context):
        self._need_model(context)
        yield CONTRACT.Reply(message=json.dumps({"sample_rate": VOICE_RATE}).encode())
        for word in request.text.split():
            yield CONTRACT.Reply(audio=spoken(word))

    def AudioTranscription(self, request, context):
        self._need_model(context)
        return self._heard(request.dst)

    def AudioTranscriptionStream(self, request, context):
        self._need_model(context)
        heard = self._heard(request.dst)
        for segment in heard.segments:
            yield CONTRACT.TranscriptStreamResponse(delta=segment.text)
        yield CONTRACT.TranscriptStreamResponse(final_result=heard)

    def _heard(self, path):
        """One segment for each second, which counts the loud samples in it."""
        with wave.open(path, "rb") as sound:
            rate, frames = sound.getframerate(), sound.getnframes()
            samples = array.array("h", sound.readframes(frames))
        reply = CONTRACT.TranscriptResult(duration=frames / rate, language="en")
        for index, start in enumerate(range(0, frames, rate)):
            part = samples[start : start + rate]
            text = (" " if index else "") + str(sum(1 for sample in part if abs(sample) > 1000))
            ends = (start * 10**9 // rate, (start + len(part)) * 10**9 // rate)
            reply.segments.add(id=index, start=ends[0], end=ends[1], text=text)
        reply.text = "".join(segment.text for segment in reply.segments)
        return reply

    def _need_model(self, context):
        if self.model is None:
            context.abort(grpc.StatusCode.FAILED_PRECONDITION, "model not loaded")

    def record(self, entry):
        if self.record_file:
            with open(self.record_file, "a", encoding="utf-8") as stream:
                stream.write(json.dumps({"pid": os.getpid(), **entry}) + "\n")


def spoken(word):
    """A tenth of a second whose every sample is the length of the word, times 2000."""
    return array.array("h", [2000 * len(word)] * (VOICE_RATE // 10)).tobytes()


def asked(request):
    """The text a prediction is about: the last message of the conversation, or the prompt."""
    return request.Messages[-1].content if request.Messages else request.Prompt


def cosine(one, other):
    """Cosine of two vectors; 0 when one of them is all zeros."""
    lengths = math.sqrt(sum(value * value for value in one) * sum(value * value for value in other))
    return sum(a * b for a, b in zip(one, other)) / lengths if lengths else 0.0


def described(request):
    """How this process was started and what it was asked to load."""
    return {
        "rpc": "LoadModel",
        "argv": sys.argv[1:],
        "folder": os.getcwd(),
        "environment": sorted(os.environ),
        "caches": os.environ.get("HF_HOME"),
        "parent": os.getppid(),
        "group": os.getpgid(0),
        "model": request.Model,
        "file": request.ModelFile,
        "models": request.ModelPath,
        "context": request.ContextSize,
        "threads": request.Threads,
    }


class BearerCheck(grpc.ServerInterceptor):
    """Refuses calls without the token this process was given."""

    def __init__(self, token):
        self.expected = "Bearer " + token

    def intercept_service(self, continuation, call):
        if dict(call.invocation_metadata).get("authorization") == self.expected:
            return continuation(call)

        def refuse(request, context):
            context.abort(grpc.StatusCode.UNAUTHENTICATED, "missing or wrong bearer token")

        return grpc.unary_unary_rpc_method_handler(refuse)


def seconds(text):
    """`2s`, `500ms` or `1m` as seconds."""
    for unit, factor in (("ms", 0.001), ("s", 1.0), ("m", 60.0)):
        if text.endswith(unit) and text[: -len(unit)].replace(".", "", 1).isdigit():
            return float(text[: -len(unit)]) * factor
    return 2.0


def watch_parent(environment):
    """Ends this process when the one that started it is gone. Process 1 is the container itself, which ends whole."""
    if environment.get("LOCALAI_BACKEND_PARENT_WATCH", "true").lower() in ("false", "0", "no", "off"):
        return
    parent = os.getppid()
    if parent == 1:
        return
    interval = seconds(environment.get("LOCALAI_BACKEND_PARENT_WATCH_INTERVAL", "2s"))

    def watch():
        while os.getppid() == parent:
            time.sleep(interval)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


def limits():
    """Message limits; a file beside the program may name a smaller one for what comes in."""
    file = os.path.join(FOLDER, "max_receive_bytes")
    if not os.path.exists(file):
        return MESSAGE_LIMITS
    with open(file, encoding="ascii") as stream:
        return [("grpc.max_receive_message_length", int(stream.read())), MESSAGE_LIMITS[1]]


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--addr", required=True)
    address = arguments.parse_args().addr
    backend = Backend()
    token = os.environ.get("LOCALAI_GRPC_AUTH_TOKEN", "")
    workers = int(os.environ.get("PYTHON_GRPC_MAX_WORKERS", "8"))
    server = grpc.server(
        futures.ThreadPoolExecutor(max_workers=workers),
        handlers=[backend],
        interceptors=[BearerCheck(token)] if token else [],
        options=limits() + [("grpc.so_reuseport", 0)],
    )
    if server.add_insecure_port(address) == 0:
        sys.exit("address in use: " + address)

    def on_term(number, frame):
        if "stubborn" not in backend.options:
            backend.record({"signal": "TERM"})
            server.stop(grace=1)

    signal.signal(signal.SIGTERM, on_term)
    watch_parent(os.environ)
    server.start()
    print("listening on " + address, flush=True)
    server.wait_for_termination()


if __name__ == "__main__":
    main()
