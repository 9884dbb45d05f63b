"""Trains the recogniser: python train.py --out DIR [--corpora DIR] [--steps N]; run again to go on where it stopped."""

import argparse
import json
import random
import time
from datetime import datetime
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from corpora import Corpora
from develop import develop
from model import LABELS, Recogniser
from pieces import describe_pieces, train_tokenizer
from sample import draw_document

STEPS = 6_000
ROWS, LENGTH = 16, 256
RATE, WARM_UP = 3e-3, 60
SEED = 20
# A missed name costs more than a false find.
OUTSIDE_WEIGHT = 0.8
# The shares of the documents that people wrote, with names and without; the others are drawn by a program.
CORPUS_SHARE, NEGATIVE_SHARE = 0.45, 0.2
DEVELOP_EVERY = 250
# Documents whose words are cut at random places, so that no name is known by one spelling in pieces.
LOOSE_SHARE, LOOSENESS = 0.3, 0.15
SEPARATORS = ("\n\n", "\n\n", "\n", " ")
SAVE_EVERY = 100
UNKNOWN = -100


def label_pieces(encoding, text, spans):
    """The label of each piece: that of the span in which it begins, blanks aside. A span without a group is not learned."""
    labels, inside, at = [], None, 0
    for start, end in encoding.offsets:
        while start < end and text[start].isspace():
            start += 1
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        span = spans[at] if at < len(spans) and spans[at][0] < end and start < end else None
        if span is None:
            labels.append(0)
        elif span[2] is None:
            labels.append(UNKNOWN)
        else:
            labels.append(LABELS.index(f"{'I' if span is inside else 'B'}-{span[2]}"))
        inside = span
    return labels


class Stream:
    """Documents behind each other, as rows of one length."""

    def __init__(self, tokenizers, seed, corpora=None):
        self.tokenizers, self.rng, self.corpora = tokenizers, random.Random(seed), corpora
        self.ids, self.labels = [], []

    def draw(self):
        chance = self.rng.random() if self.corpora else 1
        if chance < CORPUS_SHARE:
            return self.corpora.draw(self.rng, "train")
        if chance < CORPUS_SHARE + NEGATIVE_SHARE:
            return self.corpora.draw(self.rng, "negative")
        return draw_document(self.rng)

    def batch(self):
        wanted = ROWS * LENGTH
        while len(self.ids) < wanted:
            text, spans = self.draw()
            text += self.rng.choice(SEPARATORS)
            encoding = self.tokenizers[self.rng.random() < LOOSE_SHARE].encode(text)
            self.ids += encoding.ids
            self.labels += label_pieces(encoding, text, spans)
        ids = torch.tensor(self.ids[:wanted]).view(ROWS, LENGTH)
        labels = torch.tensor(self.labels[:wanted]).view(ROWS, LENGTH)
        del self.ids[:wanted], self.labels[:wanted]
        return ids, labels


def open_tokenizers(folder, corpora):
    """The tokenizer as it is, and one that cuts words at random places. Trains it when the folder has none."""
    file = folder / "tokenizer.json"
    if not file.exists():
        train_tokenizer(SEED, corpora).save(str(file))
    loose = json.loads(file.read_text("utf-8"))
    loose["model"]["dropout"] = LOOSENESS
    return Tokenizer.from_file(str(file)), Tokenizer.from_str(json.dumps(loose))


class Clock:
    """How much of a run is done, 0 to 1, by its steps, its processor time or the time of day, whichever is furthest."""

    def __init__(self, options, first, used):
        self.options, self.first, self.used = options, first, used
        self.started, self.begun = time.process_time(), datetime.now()

    def seconds(self):
        return self.used + time.process_time() - self.started

    def progress(self, step):
        options = self.options
        done = (step - options.begun) / (options.steps - options.begun)
        if options.minutes:
            done = max(done, self.seconds() / 60 / options.minutes)
        if options.until:
            end = datetime.fromisoformat(options.until)
            done = max(done, (datetime.now() - self.begun) / (end - self.begun))
        return min(1.0, done)


def rate_of(step, done, begun=0):
    """Rises at first, then falls to nothing over the whole run, or over what is left of one that goes on."""
    warm_up = WARM_UP if begun == 0 else 1
    return min(1.0, (step - begun + 1) / warm_up) * (1 - done)


def read_options():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--corpora", type=Path, help="a folder of labelled sentences; see corpora.py")
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--minutes", type=float, help="the most processor time; the slope of the rate ends there")
    parser.add_argument("--until", help="the time of day at which it ends, as 2026-11-30T23:05:00")
    parser.add_argument("--begun", type=int, default=0, help="the step at which a finished run goes on with a new slope")
    parser.add_argument("--rate", type=float, default=RATE)
    return parser.parse_args()


def main():
    options = read_options()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    corpora = Corpora(options.corpora) if options.corpora else None
    tokenizers = open_tokenizers(options.out, corpora)
    model = Recogniser(*describe_pieces(tokenizers[0]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    weights = torch.ones(len(LABELS))
    weights[0] = OUTSIDE_WEIGHT
    latest, first, used = options.out / "latest.pt", 0, 0.0
    if latest.exists():
        state = torch.load(latest, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first, used = state["step"], state.get("seconds", 0.0)
    # one that goes on draws other documents than those that it has seen
    stream = Stream(tokenizers, SEED + 1 + options.begun + first, corpora)
    log = (options.out / "train.log").open("a", buffering=1)

    def write(line):
        print(line, file=log)
        print(line, flush=True)

    clock, mean = Clock(options, first, used), None
    for step in range(first, options.steps):
        done = clock.progress(step)
        ids, labels = stream.batch()
        for group in optimizer.param_groups:
            group["lr"] = options.rate * rate_of(step, done, options.begun)
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), weight=weights, ignore_index=UNKNOWN)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        is_last = step + 1 == options.steps or done >= 1
        if (step + 1) % 50 == 0:
            write(f"step {step + 1} loss {mean:.4f} cpu {clock.seconds():.0f} s")
        if corpora and ((step + 1) % DEVELOP_EVERY == 0 or is_last):
            write(f"step {step + 1} {develop(model, tokenizers[0], corpora)}")
        if (step + 1) % SAVE_EVERY == 0 or is_last:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save({**state, "seconds": clock.seconds()}, options.out / "new.pt")
            (options.out / "new.pt").replace(latest)
        if is_last:
            break


if __name__ == "__main__":
    main()
