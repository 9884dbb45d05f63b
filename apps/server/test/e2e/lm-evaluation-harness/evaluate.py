"""Lets lm-evaluation-harness score a model of our server, and prints each request with what the harness read of its reply.

    python evaluate.py http://127.0.0.1:8080 demo
"""

import json
import os
import sys
import urllib.request

BASE, MODEL = sys.argv[1:]
TASKS = os.path.join(os.path.dirname(os.path.abspath(__file__)), "tasks")
# The tasks name their questions by a path relative to this folder.
os.chdir(TASKS)
os.environ.update(HF_HUB_OFFLINE="1", HF_DATASETS_OFFLINE="1", TQDM_DISABLE="1")

import lm_eval  # noqa: E402
import lm_eval.utils  # noqa: E402
from lm_eval.models.openai_completions import LocalCompletionsAPI  # noqa: E402
from lm_eval.tasks import TaskManager  # noqa: E402

# Ways in which the harness sends its prompts.
MODES = {
    "tokens": "tokenized_requests=True",
    "batches of tokens": "tokenized_requests=True,batch_size=4",
    "texts": "tokenized_requests=False",
    "batches of texts": "tokenized_requests=False,batch_size=4",
}


class Tokenizer:
    """The tokenizer of the server in the place of the harness's own."""

    bos_token_id = None
    eos_token_id = 0
    eos_token = ""

    def __init__(self, *_, **__):
        pass

    def ask(self, path, body):
        data = json.dumps({"model": MODEL, **body}).encode()
        request = urllib.request.Request(BASE + path, data, {"content-type": "application/json"})
        with urllib.request.urlopen(request) as reply:
            return json.load(reply)

    def encode(self, text):
        return self.ask("/v1/tokenize", {"content": text})["tokens"]

    def decode(self, tokens):
        return self.ask("/v1/detokenize", {"tokens": tokens})["content"]

    def batch_decode(self, many):
        return [self.decode(tokens) for tokens in many]


class Recorded(LocalCompletionsAPI):
    """The client of the harness with a record of its requests."""

    lines = []

    def _create_payload(self, *args, **kwargs):
        request = super()._create_payload(*args, **kwargs)
        self.lines.append({"request": json.loads(json.dumps(request))})
        return request

    @classmethod
    def parse_logprobs(cls, outputs, tokens=None, ctxlens=None, **kwargs):
        scores = LocalCompletionsAPI.parse_logprobs(outputs, tokens, ctxlens, **kwargs)
        cls.lines[-1].update(contexts=list(ctxlens), scores=[[round(sum_, 4), greedy] for sum_, greedy in scores])
        return scores

    @classmethod
    def parse_generations(cls, outputs, **kwargs):
        texts = LocalCompletionsAPI.parse_generations(outputs, **kwargs)
        cls.lines[-1].update(texts=texts)
        return texts


lm_eval.utils.RemoteTokenizer = Tokenizer
for mode, options in MODES.items():
    Recorded.lines = []
    arguments = f"base_url={BASE}/v1/completions,model={MODEL},tokenizer_backend=remote,{options}"
    evaluated = lm_eval.simple_evaluate(
        model=Recorded.create_from_arg_string(arguments),
        tasks=["choice", "generation", "rolling"],
        task_manager=TaskManager(include_path=TASKS, include_defaults=False),
        bootstrap_iters=0,
    )
    for line in Recorded.lines:
        print(json.dumps({"mode": mode, **line}, ensure_ascii=False))
    accuracy = evaluated["results"]["choice"]["acc,none"]
    print(json.dumps({"mode": mode, "accuracy": accuracy}), flush=True)
