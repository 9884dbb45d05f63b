"""Trains the demo model: python train.py --out DIR [--plan PLAN]; run again to go on where it stopped.

The plan fixes the number of steps and the learning rate: "0.02*500 0.01>0*1000" is 500 steps at 0.02, then
1000 steps from 0.01 down to 0; "0.01>0*1000:200" only the first 200 of these. A longer plan with the same beginning goes
on from the last checkpoint.
"""

import argparse
import itertools
import json
import math
import random
import sys
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from model import Model, Shape
from optimizer import Optimizer
from svc_demo.mix import LATE_SAMPLE, evaluation, sample
from tokenizer import BEGIN, encode_turns, train as train_tokenizer

PLAN = (Path(__file__).parent / "plan.txt").read_text("utf-8").strip()
CHUNK = 3_000  # samples sorted by length together
BATCH = 4_096  # tokens, padding included
# Before LATE_SAMPLE some prompt tokens are learned too. After it only answers are, and most of all the tokens that decide
# which answer it is: the first ones, and the name of a route.
PROMPT_SHARE, PROMPT_WEIGHT = 0.08, 0.5
DECIDING, DECIDING_WEIGHT, ROUTE_WEIGHT = 3, 2.0, 4.0
LONGEST = 700  # tokens of a sample
WARM_UP = 50  # steps
LATEST = "latest.pt"


def segments(plan):
    """(first rate, last rate, steps of the slope, steps done) of every part of a plan."""
    for segment in plan.split():
        rate, _, count = segment.partition("*")
        first, _, last = rate.partition(">")
        count, _, used = count.partition(":")
        yield float(first), float(last or first), int(count), int(used or count)


def rates(plan):
    """The learning rate of every step."""
    steps = []
    for first, last, count, used in segments(plan):
        steps += [first + (last - first) * i / count for i in range(used)]
    return [rate * min(1.0, (i + 1) / WARM_UP) for i, rate in enumerate(steps)]


def boundaries(plan):
    """The steps at which a part of the plan ends."""
    return set(itertools.accumulate(used for _, _, _, used in segments(plan)))


def chunk_batches(tokenizer, chunk):
    """The batches of a chunk: lists of (ids, weight of each in an answer), a pure function of the chunk's number."""
    rng = random.Random(f"batches {chunk}")
    encoded = []
    for i in range(CHUNK):
        seed = chunk * CHUNK + i
        part, turns = sample(seed)
        ids, marks = encode_turns(tokenizer, turns)
        answer = late_weights(part, marks) if seed >= LATE_SAMPLE else [float(mark) for mark in marks]
        if rng.random() < 0.2:
            ids, answer = [BEGIN, *ids], [0.0, *answer]
        if len(ids) <= LONGEST:
            encoded.append((ids, answer))
    encoded.sort(key=lambda pair: len(pair[0]))
    batches, current = [], []
    for pair in encoded:
        if current and (len(current) + 1) * len(pair[0]) > BATCH:
            batches.append(current)
            current = []
        current.append(pair)
    batches.append(current)
    rng.shuffle(batches)
    return batches, rng


def late_weights(part, marks):
    """1 for every token of an answer, more for those that decide which one it is."""
    weights, place = [], 0
    for mark in marks:
        place = place + 1 if mark else 0
        usual = DECIDING_WEIGHT if place <= DECIDING else 1.0
        weights.append((ROUTE_WEIGHT if part == "routing" else usual) if mark else 0.0)
    return weights


def tensors(batch):
    length = max(len(ids) for ids, _ in batch)
    ids = torch.zeros(len(batch), length, dtype=torch.long)
    answer = torch.zeros(len(batch), length)
    real = torch.zeros(len(batch), length, dtype=torch.bool)
    for row, (tokens, marks) in enumerate(batch):
        ids[row, : len(tokens)] = torch.tensor(tokens)
        answer[row, : len(tokens)] = torch.tensor(marks, dtype=torch.float)
        real[row, : len(tokens)] = True
    return ids, answer, real


def loss_of(model, batch, rng, with_prompt):
    ids, answer, real = tensors(batch)
    generator = torch.Generator().manual_seed(rng.randrange(2**31))
    prompt = real & (answer == 0) & (torch.rand(ids.shape, generator=generator) < PROMPT_SHARE) & with_prompt
    weights = torch.where(prompt, PROMPT_WEIGHT, answer)[:, 1:]
    wanted = weights > 0
    weight = weights[wanted]
    logits = model.logits(model.hidden(ids[:, :-1], wanted))
    losses = F.cross_entropy(logits, ids[:, 1:][wanted], reduction="none")
    return (losses * weight).sum() / weight.sum(), int(real.sum())


@torch.no_grad()
def exact(model, tokenizer, sets):
    """Share of samples whose last answer the model would give word for word (greedy, by teacher forcing)."""
    scores = {}
    for name, items in sets.items():
        pairs = []
        for item in items:
            before = [(m["role"], m["content"]) for m in item["messages"]]
            ids, _ = encode_turns(tokenizer, before)
            whole, answer = encode_turns(tokenizer, before + [("assistant", item["answer"])])
            pairs.append((whole, [mark and i >= len(ids) for i, mark in enumerate(answer)]))
        right = 0
        pairs.sort(key=lambda pair: len(pair[0]))
        for start in range(0, len(pairs), 32):
            ids, answer, _ = tensors(pairs[start : start + 32])
            best = model.logits(model.hidden(ids[:, :-1])).argmax(-1)
            right += int(((best == ids[:, 1:]) | (answer[:, 1:] == 0)).all(1).sum())
        scores[name] = right / len(items)
    return scores


def grouped(sets):
    """Evaluation sets under the few names of the log."""
    short = {}
    for name, items in sets.items():
        key = "skills" if name.startswith("skill") else "turns" if name.startswith("turns") else name
        short.setdefault(key, []).extend(items)
    return short


def options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--plan", default=PLAN)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--stop-after", type=int, help="end at this step, the plan stays as it is")
    return parser.parse_args()


def tokenizer_of(folder):
    """The tokenizer beside the checkpoints, trained at the first start."""
    path = folder / "tokenizer.json"
    if not path.exists():
        train_tokenizer().save(str(path))
    return Tokenizer.from_file(str(path))


class Run:
    """A training run: model, optimizer and how far it is."""

    def __init__(self, folder):
        self.folder = folder
        self.model = Model(Shape())
        self.optimizer = Optimizer(self.model)
        self.state = {"step": 0, "chunk": 0, "batch": 0, "tokens": 0, "seconds": 0.0}
        if (folder / LATEST).exists():
            saved = torch.load(folder / LATEST, weights_only=True)
            self.model.load_state_dict(saved["model"])
            self.optimizer.load(saved["optimizer"])
            self.state = saved["state"]

    def save(self, name):
        saved = {"model": self.model.state_dict(), "optimizer": self.optimizer.state(), "state": self.state}
        temporary = self.folder / f"{name}.tmp"
        torch.save(saved, temporary)
        temporary.replace(self.folder / name)

    def batches(self, tokenizer):
        """Batches without end, from where the run stands."""
        while True:
            batches, rng = chunk_batches(tokenizer, self.state["chunk"])
            for _ in range(self.state["batch"]):
                rng.randrange(2**31)
            for batch in batches[self.state["batch"] :]:
                yield batch, rng
                self.state["batch"] += 1
            self.state["chunk"], self.state["batch"] = self.state["chunk"] + 1, 0

    def step(self, batch, rng, rate):
        begin = time.process_time()
        loss, tokens = loss_of(self.model, batch, rng, self.state["chunk"] * CHUNK < LATE_SAMPLE)
        loss.backward()
        torch.nn.utils.clip_grad_norm_(self.model.parameters(), 1.0)
        self.optimizer.step(rate)
        self.model.zero_grad(set_to_none=False)
        value = loss.item()
        if not math.isfinite(value):
            raise ValueError(f"the loss is not finite at step {self.state['step']}")
        self.state["step"] += 1
        self.state["tokens"] += tokens
        self.state["seconds"] += time.process_time() - begin
        return value


def main():
    given = options()
    torch.set_num_threads(1)
    torch.set_flush_denormal(True)
    torch.manual_seed(given.seed)
    given.out.mkdir(parents=True, exist_ok=True)
    tokenizer = tokenizer_of(given.out)
    run = Run(given.out)
    plan, ends = rates(given.plan), boundaries(given.plan)
    last = min(len(plan), given.stop_after or len(plan))
    sets = grouped(evaluation(60))
    log_file = (given.out / "train.log").open("a", encoding="utf-8")

    def log(line):
        print(line, flush=True)
        log_file.write(line + "\n")
        log_file.flush()

    log(
        f"# start at step {run.state['step']} of {len(plan)}; plan {given.plan}; seed {given.seed}; "
        f"{sum(p.numel() for p in run.model.parameters())} parameters; "
        f"torch {torch.__version__}; python {sys.version.split()[0]}; 1 thread"
    )
    mean = None
    for batch, rng in run.batches(tokenizer):
        step = run.state["step"]
        if step >= last:
            break
        value = run.step(batch, rng, plan[step])
        mean = value if mean is None else 0.98 * mean + 0.02 * value
        step += 1
        if step % 50 == 0:
            log(
                f"step {step} loss {mean:.4f} rate {plan[step - 1]:.5f} "
                f"tokens {run.state['tokens']} cpu {run.state['seconds']:.0f} s"
            )
        if step % 500 == 0 or step == last:
            scores = exact(run.model, tokenizer, sets)
            log("eval " + json.dumps({name: round(100 * score) for name, score in scores.items()}))
        if step % 200 == 0 or step in ends or step == last:
            run.state["batch"] += 1  # the generator counts it only when asked for the next one
            run.save(LATEST)
            if step in ends:
                run.save(f"step-{step}.pt")
            run.state["batch"] -= 1


if __name__ == "__main__":
    main()
