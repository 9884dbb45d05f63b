"""Draws documents: sentences in the formats in which people keep them, with the groups of their parts."""

import random
import re
import unicodedata
from functools import cache
from pathlib import Path

from lists import LANGUAGES, TRAINING, lists
from slots import SLOT, Filler, sentence_words

PAGES = Path(__file__).parents[4] / "docs"
COMPOSED_SHARE = 0.45
# The share of documents with other words around the names, the share of these words, and the letters of one at least.
NOISY_SHARE, SWAPPED_SHARE, LEAST_SWAPPED = 0.35, 0.25, 4
SENTENCES = re.compile(r"\{([sp])\}")


def draw_document(rng, folder=TRAINING, language=None, made_up=0.45):
    """A document as (text, [(start, end, group)]), places in code points."""
    language = language or rng.choice(LANGUAGES)
    filler = Filler(rng, language, folder, made_up)
    formats = lists(folder, "formats")
    chance = rng.random()
    if chance < 0.13:
        template = rng.choice(formats["plain"])
    elif chance < 0.45:
        template = rng.choice(("{s}", "{s}", "{s} {s}", "{s} {p}", "{p}", "{p} {s}", "{p} {p}", "{s}\n{s}", "{s}\n\n{p}"))
    else:
        template = rng.choice(formats["templates"])
    parts = fill_document(rng, filler, template)
    if folder == TRAINING and rng.random() < NOISY_SHARE:
        parts = [(text if group else swap_words(rng, filler, text), group) for text, group in parts]
    return join(restyle(rng, parts))


def fill_document(rng, filler, template):
    """Fills a format, whose slots {s} and {p} are sentences with and without private text."""
    is_bare = not re.sub(r"[\s>]", "", SENTENCES.sub("", template))
    parts, done = [], 0
    for found in SENTENCES.finditer(template):
        parts += filler.fill(template[done : found.start()], choices=False)
        sentence = draw_sentence(rng, filler, found[1] == "s")
        if not is_bare:
            sentence = [(text.replace("\n", " "), group) for text, group in sentence]
        parts += sentence
        done = found.end()
    return parts + filler.fill(template[done:], choices=False)


def draw_sentence(rng, filler, is_private):
    """The parts of a sentence; one without private text may be of the product's own pages, or of words in no order."""
    chance = rng.random()
    if is_private:
        if filler.folder == TRAINING and chance < COMPOSED_SHARE:
            return filler.composed()
        return filler.fill(rng.choice(filler.own["templates"]))
    if chance < 0.25 and filler.folder == TRAINING:
        return [(filler.salad(), None)]
    if chance < 0.35 and filler.folder == TRAINING:
        return [(rng.choice(page_lines()), None)]
    return filler.fill(rng.choice(filler.own["plain"]))


@cache
def page_lines():
    """Lines of the product's pages: prose, tables and commands. Lines with a date or a name of the lists are left out."""
    known = {name.lower() for key in (*LANGUAGES, "world") for name in names_of(lists(TRAINING, key))}
    lines = [line.strip() for file in sorted(PAGES.glob("*.md")) for line in file.read_text("utf-8").splitlines()]
    return [
        line
        for line in lines
        if 20 < len(line) < 400
        and not re.search(r"\d{4}-\d\d-\d\d", line)
        and not known & {word.lower() for word in re.findall(r"[A-ZÀ-Þ]\w+", line)}
    ]


def names_of(sections):
    return [name for section in ("first", "last", "cities", "places") for name in sections[section]]


def swap_words(rng, filler, text):
    """Puts other words in the place of some: what stands around a name must not be known by heart. Short ones stay."""

    def swap(found):
        word = found[0]
        if len(word) < LEAST_SWAPPED or rng.random() > SWAPPED_SHARE:
            return word
        other = rng.choice(sentence_words(filler.folder, filler.language))
        return other.title() if word[0].isupper() else other.lower()

    return re.sub(r"[^\W\d_]+", swap, text)


def restyle(rng, parts):
    """The parts in another style of writing, in a part of the documents."""
    chance = rng.random()
    if chance < 0.05:
        return [(text.lower(), group) for text, group in parts]
    if chance < 0.08:
        return [(text.upper(), group) for text, group in parts]
    if chance < 0.12:
        return [(strip_marks(text), group) for text, group in parts]
    if chance < 0.15:
        return [(text.lower() if group == "PER" or group == "LOC" else text, group) for text, group in parts]
    if chance < 0.19:
        return [(text if group else mistype(rng, text), group) for text, group in parts]
    if chance < 0.21:
        return [(text.title() if group is None else text, group) for text, group in parts]
    return parts


def strip_marks(text):
    plain = unicodedata.normalize("NFD", text.replace("ß", "ss"))
    return "".join(letter for letter in plain if not unicodedata.combining(letter))


def mistype(rng, text):
    if len(text) < 8:
        return text
    at = rng.randrange(1, len(text) - 1)
    return text[:at] + rng.choice(("", text[at] * 2, text[at + 1] + text[at])) + text[at + 1 :]


def join(parts):
    text, spans = "", []
    for part, group in parts:
        if group is not None and part.strip():
            start = len(text) + len(part) - len(part.lstrip())
            spans.append((start, len(text) + len(part.rstrip()), group))
        text += part
    return text, spans


if __name__ == "__main__":
    import sys

    source = random.Random(int(sys.argv[1]) if len(sys.argv) > 1 else 0)
    for _ in range(int(sys.argv[2]) if len(sys.argv) > 2 else 20):
        text, spans = draw_document(source)
        for start, end, group in reversed(spans):
            text = f"{text[:start]}⟦{group} {text[start:end]}⟧{text[end:]}"
        print(text, "\n---")
