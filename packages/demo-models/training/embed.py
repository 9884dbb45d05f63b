"""Trains the embedding model and writes it: python embed.py --out demo-embed.gguf [--steps 3000]

A text's vector is the mean of its tokens' vectors, each of them weight times direction. The file is a llama of one block
that adds nothing: its matrices are zero. The last norm of that architecture makes every token's vector equally long, so
one dimension is filled up to the same length for all and taken away again by the norm's own factor.
"""

import argparse
import hashlib
import math
import random
import time
from collections import Counter
from pathlib import Path

import numpy as np
import torch
import torch.nn.functional as F

from export import MEAN_POOLING, tokenizer_keys
from gguf import F32, STRING, U32, write
from svc_demo.pairs import pair
from tokenizer import train as train_tokenizer

VOCABULARY, DIM = 8192, 256
HEAD, HIDDEN, CONTEXT = 32, 32, 1024
BATCH, TEMPERATURE = 192, 0.06
DIRECTION_RATE, WEIGHT_RATE = 2e-3, 1e-2
TEXTS_FOR_TOKENIZER, TEXTS_FOR_WEIGHTS = 40_000, 20_000
FIRST_TEXT = 1_000_000_000  # far from the seeds of training
LONGEST = 64  # tokens of a text
FIRST_LENGTH = 0.1  # of a direction's numbers: the shorter, the faster it turns
LENGTH = 4.0  # of every token's vector in the file: far above the norm's epsilon


def texts(count):
    for seed in range(FIRST_TEXT, FIRST_TEXT + count):
        yield from pair(seed)[1:]


def first_weights(tokenizer):
    """Rare tokens weigh more: inverse document frequency, scaled into 0.05 .. 0.95."""
    seen = Counter()
    for text in texts(TEXTS_FOR_WEIGHTS):
        seen.update(set(tokenizer.encode(text).ids))
    count = 2 * TEXTS_FOR_WEIGHTS
    idf = torch.tensor([math.log(count / (1 + seen[token])) for token in range(VOCABULARY)])
    return (idf / idf.max()).clamp(0.05, 0.95)


def spellings(tokenizer):
    """For each token the number of its spelling: " Dog", "dog" and " dog" are one."""
    numbers = {}

    def number(token):
        text = tokenizer.decode([token], skip_special_tokens=False)
        return numbers.setdefault(text.strip().lower() or text, len(numbers))

    return torch.tensor([number(token) for token in range(VOCABULARY)])


class Table(torch.nn.Module):
    """A direction and a weight for every spelling."""

    def __init__(self, weights, spelling):
        super().__init__()
        count = int(spelling.max()) + 1
        self.spelling = spelling
        self.direction = torch.nn.Parameter(torch.randn(count, DIM - 1) * FIRST_LENGTH)
        lightest = torch.ones(count).scatter_reduce(0, spelling, weights, "amin")
        self.weight = torch.nn.Parameter(torch.logit(lightest))

    def rows(self):
        """[VOCABULARY, DIM - 1]: weight times direction of every token."""
        rows = F.normalize(self.direction, dim=1) * torch.sigmoid(self.weight)[:, None]
        return rows[self.spelling]

    def vectors(self, bags):
        ids = torch.tensor([token for bag in bags for token in bag])
        starts = torch.tensor([0] + [len(bag) for bag in bags[:-1]]).cumsum(0)
        return F.normalize(F.embedding_bag(ids, self.rows(), starts, mode="sum"), dim=1)


def loss_of(table, batch):
    """Each text must find its partner among the others of the batch, those of the same intent left out."""
    topics = [topic for topic, _, _ in batch]
    left = table.vectors([bag for _, bag, _ in batch])
    right = table.vectors([bag for _, _, bag in batch])
    scores = left @ right.T / TEMPERATURE
    number = {topic: index for index, topic in enumerate(dict.fromkeys(topics))}
    numbers = torch.tensor([number[topic] for topic in topics])
    same = (numbers[:, None] == numbers[None, :]) & ~torch.eye(len(batch), dtype=torch.bool)
    scores = scores.masked_fill(same, -math.inf)
    wanted = torch.arange(len(batch))
    return (F.cross_entropy(scores, wanted) + F.cross_entropy(scores.T, wanted)) / 2


def train(tokenizer, steps):
    table = Table(first_weights(tokenizer), spellings(tokenizer))
    optimizer = torch.optim.Adam(
        [{"params": [table.direction], "lr": DIRECTION_RATE}, {"params": [table.weight], "lr": WEIGHT_RATE}]
    )
    begin = time.process_time()
    for step in range(steps):
        drawn = (pair(step * BATCH + index) for index in range(BATCH))
        batch = [(topic, *(tokenizer.encode(text).ids[:LONGEST] for text in both)) for topic, *both in drawn]
        loss = loss_of(table, batch)
        optimizer.zero_grad()
        loss.backward()
        for group, rate in zip(optimizer.param_groups, (DIRECTION_RATE, WEIGHT_RATE)):
            group["lr"] = rate * min(1.0, 2 * (1 - step / steps))
        optimizer.step()
        if step % 100 == 99 or step == steps - 1:
            print(f"step {step + 1} loss {loss.item():.4f} cpu {time.process_time() - begin:.0f} s", flush=True)
    return table


def token_rows(table):
    """The rows of the file: the filling first, then weight times direction, all of the same length."""
    rows = table.rows().detach()
    filling = (1 - rows.square().sum(1, keepdim=True)).clamp(min=0).sqrt()
    return (torch.cat((filling, rows), 1) * LENGTH).numpy()


def tensors(table):
    def zeros(rows, columns):
        return np.zeros((rows, columns), np.float32)

    ones, last = np.ones(DIM, np.float32), np.ones(DIM, np.float32)
    last[0] = 0
    return [
        ("token_embd.weight", token_rows(table)),
        ("blk.0.attn_norm.weight", ones),
        ("blk.0.attn_q.weight", zeros(HEAD, DIM)),
        ("blk.0.attn_k.weight", zeros(HEAD, DIM)),
        ("blk.0.attn_v.weight", zeros(HEAD, DIM)),
        ("blk.0.attn_output.weight", zeros(DIM, HEAD)),
        ("blk.0.ffn_norm.weight", ones),
        ("blk.0.ffn_gate.weight", zeros(HIDDEN, DIM)),
        ("blk.0.ffn_up.weight", zeros(HIDDEN, DIM)),
        ("blk.0.ffn_down.weight", zeros(DIM, HIDDEN)),
        ("output_norm.weight", last),
    ]


def keys(tokenizer):
    return [
        ("general.architecture", STRING, "llama"),
        ("general.name", STRING, "demo-embed"),
        ("general.license", STRING, "mit"),
        ("general.file_type", U32, 7),
        ("general.quantization_version", U32, 2),
        ("llama.context_length", U32, CONTEXT),
        ("llama.embedding_length", U32, DIM),
        ("llama.block_count", U32, 1),
        ("llama.feed_forward_length", U32, HIDDEN),
        ("llama.attention.head_count", U32, 1),
        ("llama.attention.head_count_kv", U32, 1),
        ("llama.attention.key_length", U32, HEAD),
        ("llama.attention.value_length", U32, HEAD),
        ("llama.attention.layer_norm_rms_epsilon", F32, 1e-5),
        ("llama.rope.dimension_count", U32, HEAD),
        ("llama.rope.freq_base", F32, 10000.0),
        ("llama.vocab_size", U32, VOCABULARY),
        ("llama.pooling_type", U32, MEAN_POOLING),
        *tokenizer_keys(tokenizer),
    ]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--steps", type=int, default=3000)
    parser.add_argument("--type", choices=["F16", "Q8_0"], default="Q8_0")
    options = parser.parse_args()
    torch.set_num_threads(1)
    torch.manual_seed(1)
    random.seed(1)
    tokenizer = train_tokenizer(texts(TEXTS_FOR_TOKENIZER), VOCABULARY)
    table = train(tokenizer, options.steps)
    write(options.out, keys(tokenizer), tensors(table), options.type)
    data = options.out.read_bytes()
    print(f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
