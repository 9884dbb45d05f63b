"""Trains the recogniser: python train.py --out DIR [--steps N]; run again to go on where it stopped."""

import argparse
import json
import random
import time
from pathlib import Path

import torch
import torch.nn.functional as F
from tokenizers import Tokenizer

from model import LABELS, Recogniser
from pieces import describe_pieces, train_tokenizer
from sample import draw_document

STEPS = 6_000
ROWS, LENGTH = 16, 256
RATE, WARM_UP = 3e-3, 60
SEED = 20
# A missed name costs more than a false find.
OUTSIDE_WEIGHT = 0.7
# Documents whose words are cut at random places, so that no name is known by one spelling in pieces.
LOOSE_SHARE, LOOSENESS = 0.3, 0.15
SEPARATORS = ("\n\n", "\n\n", "\n", " ")
SAVE_EVERY = 100


def label_pieces(encoding, text, spans):
    """The label of each piece: that of the span in which it begins, blanks aside."""
    labels, inside, at = [], None, 0
    for start, end in encoding.offsets:
        while start < end and text[start].isspace():
            start += 1
        while at < len(spans) and spans[at][1] <= start:
            at += 1
        span = spans[at] if at < len(spans) and spans[at][0] < end and start < end else None
        if span is None:
            labels.append(0)
        else:
            labels.append(LABELS.index(f"{'I' if span is inside else 'B'}-{span[2]}"))
        inside = span
    return labels


class Stream:
    """Documents behind each other, as rows of one length."""

    def __init__(self, tokenizers, seed):
        self.tokenizers, self.rng = tokenizers, random.Random(seed)
        self.ids, self.labels = [], []

    def batch(self):
        wanted = ROWS * LENGTH
        while len(self.ids) < wanted:
            text, spans = draw_document(self.rng)
            text += self.rng.choice(SEPARATORS)
            encoding = self.tokenizers[self.rng.random() < LOOSE_SHARE].encode(text)
            self.ids += encoding.ids
            self.labels += label_pieces(encoding, text, spans)
        ids = torch.tensor(self.ids[:wanted]).view(ROWS, LENGTH)
        labels = torch.tensor(self.labels[:wanted]).view(ROWS, LENGTH)
        del self.ids[:wanted], self.labels[:wanted]
        return ids, labels


def open_tokenizers(folder):
    """The tokenizer as it is, and one that cuts words at random places. Trains it when the folder has none."""
    file = folder / "tokenizer.json"
    if not file.exists():
        train_tokenizer(SEED).save(str(file))
    loose = json.loads(file.read_text("utf-8"))
    loose["model"]["dropout"] = LOOSENESS
    return Tokenizer.from_file(str(file)), Tokenizer.from_str(json.dumps(loose))


def rate_of(step, steps, begun=0):
    """Rises at first, then falls to nothing over the whole run, or over what is left of one that goes on."""
    warm_up = WARM_UP if begun == 0 else 1
    return min(1.0, (step - begun + 1) / warm_up) * (1 - (step - begun) / (steps - begun))


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=STEPS)
    parser.add_argument("--begun", type=int, default=0, help="the step at which a finished run goes on with a new slope")
    parser.add_argument("--rate", type=float, default=RATE)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    torch.set_num_threads(1)
    torch.manual_seed(SEED)
    tokenizers = open_tokenizers(options.out)
    model = Recogniser(*describe_pieces(tokenizers[0]))
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.01)
    weights = torch.ones(len(LABELS))
    weights[0] = OUTSIDE_WEIGHT
    latest, first = options.out / "latest.pt", 0
    if latest.exists():
        state = torch.load(latest, weights_only=True)
        model.load_state_dict(state["model"])
        optimizer.load_state_dict(state["optimizer"])
        first = state["step"]
    stream = Stream(tokenizers, SEED + 1 + options.begun)
    for _ in range(options.begun, first):
        stream.batch()
    log = (options.out / "train.log").open("a", buffering=1)
    mean, started = None, time.process_time()
    for step in range(first, options.steps):
        ids, labels = stream.batch()
        for group in optimizer.param_groups:
            group["lr"] = options.rate * rate_of(step, options.steps, options.begun)
        loss = F.cross_entropy(model(ids).flatten(0, 1), labels.flatten(), weight=weights)
        optimizer.zero_grad()
        loss.backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
        mean = loss.item() if mean is None else 0.98 * mean + 0.02 * loss.item()
        if (step + 1) % 50 == 0:
            line = f"step {step + 1} loss {mean:.4f} cpu {time.process_time() - started:.0f} s"
            print(line, file=log)
            print(line, flush=True)
        if (step + 1) % SAVE_EVERY == 0 or step + 1 == options.steps:
            state = {"model": model.state_dict(), "optimizer": optimizer.state_dict(), "step": step + 1}
            torch.save(state, options.out / "new.pt")
            (options.out / "new.pt").replace(latest)


if __name__ == "__main__":
    main()
