"""Paths and the small committed data files."""

import json
import re
from functools import lru_cache
from pathlib import Path

TRAINING = Path(__file__).resolve().parent.parent
PACKAGE = TRAINING.parent


@lru_cache
def facts():
    """What the answers state about the product, by key."""
    return json.loads((TRAINING / "facts.json").read_text("utf-8"))


@lru_cache
def words():
    """The committed word list: it only fills slots of sentences."""
    return [line for line in (TRAINING / "words.txt").read_text("utf-8").split("\n") if line]


def state(text):
    """Put facts into an answer: {flag.address} becomes --address."""

    def fact(match):
        return facts()[match[1]]

    return re.sub(r"\{([a-z0-9]+\.[a-z0-9-]+)\}", fact, text)
