"""Sentences that people wrote, from a folder outside the repository: `train`, `negative` and `dev`, files of JSON lines.

A line is `{"language": "en", "text": "…", "spans": [{"start": 0, "end": 3, "group": "PER"}]}`, places in code points. Files under
`negative` hold texts without a name: code, logs, documentation, recipes. `shares.json` may name files with a factor other
than 1.
"""

import json
import re
from functools import cache

MOST_LINES, MOST_LETTERS = 4, 1_400
# A quarter of the names are those of another sentence, so that no text is known by heart.
SWAPPED_SHARE = 0.25
SMALL_SHARE, CAPITAL_SHARE = 0.03, 0.02
# The corpora label no dates and no addresses: these parts of them teach nothing about those groups.
MONTHS = """
january february march april may june july august september october november december
januar jänner februar märz mai juni juli oktober dezember
janvier février mars avril juin juillet août septembre octobre novembre décembre
enero febrero marzo abril mayo junio julio agosto septiembre octubre noviembre diciembre
gennaio febbraio aprile maggio giugno luglio settembre ottobre dicembre
""".split()
DATES = (
    rf"(?:\d{{1,2}}(?:st|nd|rd|th|er|\.|º|°)?\s+(?:of\s+|de\s+)?)?\b(?i:{'|'.join(MONTHS)})\b(?:\s+(?:de\s+|del\s+)?\d[\w,]*)*"
    r"|\b\d{1,4}([./-])\d{1,2}\1\d{1,4}\b|\b(?:1[5-9]|20)\d\d\b"
)
# a number beside a word with a capital may be of an address
PLACES = r"|\b\d+\w?\b(?=,?\s[A-ZÀ-Þ])|(?<=[a-zß-ÿ]\s)\b\d+\w?\b(?=[,\n])"
UNKNOWN = {"train": re.compile(DATES + PLACES), "negative": re.compile(DATES)}


def read_lines(file):
    return [json.loads(line) for line in file.read_text("utf-8").splitlines()]


class Corpora:
    """The files of a folder; a language and a file of it are drawn by the square roots of their letters."""

    def __init__(self, folder):
        self.folder = folder
        shares = folder / "shares.json"
        factors = json.loads(shares.read_text("utf-8")) if shares.exists() else {}
        self.train = self.read("train", factors)
        self.negative = self.read("negative", factors)
        self.names = {}
        for documents, _ in self.train:
            for document in documents:
                for span in document["spans"]:
                    name = document["text"][span["start"] : span["end"]]
                    if 2 < len(name) < 40:
                        self.names.setdefault(span["group"], []).append(name)

    def read(self, kind, factors):
        read = []
        for file in sorted((self.folder / kind).glob("*.jsonl")):
            documents = read_lines(file)
            letters = sum(len(document["text"]) for document in documents)
            read.append((documents, factors.get(file.stem, 1) * letters**0.5))
        return read

    def texts(self, kind):
        return [document["text"] for documents, _ in getattr(self, kind) for document in documents]

    @cache
    def dev(self):
        return {file.stem: read_lines(file) for file in sorted((self.folder / "dev").glob("*.jsonl"))}

    def draw(self, rng, kind):
        """A document as (text, [(start, end, group)]); the group of a part that teaches nothing is None."""
        files = getattr(self, kind)
        documents = rng.choices([file for file, _ in files], [share for _, share in files])[0]
        at = rng.randrange(len(documents))
        text, spans, mark = "", [], rng.choice((" ", " ", "\n"))
        for document in documents[at : at + rng.randint(1, MOST_LINES)]:
            if text and len(text) + len(document["text"]) > MOST_LETTERS:
                break
            text += mark if text else ""
            spans += [(span["start"] + len(text), span["end"] + len(text), span["group"]) for span in document["spans"]]
            text += document["text"]
        text, spans = cut(rng, text, spans)
        return self.restyle(rng, kind, *self.swap(rng, text, spans))

    def swap(self, rng, text, spans):
        swapped, moved, done = "", [], 0
        for start, end, group in spans:
            swapped += text[done:start]
            name = text[start:end]
            if rng.random() < SWAPPED_SHARE and group in self.names:
                name = rng.choice(self.names[group])
            moved.append((len(swapped), len(swapped) + len(name), group))
            swapped += name
            done = end
        return swapped + text[done:], moved

    def restyle(self, rng, kind, text, spans):
        spans = with_unknown(text, spans, kind)
        chance = rng.random()
        if chance < SMALL_SHARE and len(text.lower()) == len(text):
            return text.lower(), spans
        if SMALL_SHARE < chance < SMALL_SHARE + CAPITAL_SHARE and len(text.upper()) == len(text):
            return text.upper(), spans
        return text, spans


def cut(rng, text, spans):
    """A window of a long text that begins at a line or a word and ends inside no span."""
    if len(text) <= MOST_LETTERS:
        return text, spans
    start = rng.randrange(len(text) - MOST_LETTERS + 1) if rng.random() < 0.7 else 0
    start = 0 if start == 0 else max(text.find(" ", start) + 1, text.find("\n", start) + 1)
    end = start + MOST_LETTERS
    inside = [(a - start, min(b, end) - start, group) for a, b, group in spans if a >= start and a < end]
    return text[start:end], inside


def with_unknown(text, spans, kind="train"):
    """The spans, and between them the parts that may be a date or an address."""
    found, at = [], 0
    for start, end, group in [*spans, (len(text), len(text), None)]:
        found += [(at + part.start(), at + part.end(), None) for part in UNKNOWN[kind].finditer(text[at:start])]
        if end > start:
            found.append((start, end, group))
        at = end
    return found
