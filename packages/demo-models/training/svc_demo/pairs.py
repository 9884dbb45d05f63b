"""Pairs of texts that belong together, for the embedding model."""

import re
from functools import lru_cache

from .draw import Draw
from .files import TRAINING, words
from .mix import HELP, SMALL_TALK, ask_topic
from .phrases import DO_PATTERNS, WHAT_PATTERNS
from .wrap import wrap

FUNCTION_WORDS = """the a an of to in is are was what how do does did I you it for on with and or my your can could will would
this that there where when why which who be has have not no if from by at as about me we they he she please so very""".split()
FORMS = ("ing", "ed", "es", "s", "er", "ly", "ies")
CHANCE_OF_KIN = 0.5


def stem(word):
    """A word without its ending: baking, bakes and baked are one."""
    word = word.lower()
    for ending in FORMS:
        if word.endswith(ending) and len(word) - len(ending) >= 3:
            word = word[: -len(ending)]
            break
    return re.sub(r"(.)\1$", r"\1", word).rstrip("ey")


@lru_cache
def kin():
    """Other words for a word: its forms in the word list, and the groups of synonyms.txt."""
    groups = {}
    for word in words():
        groups.setdefault(stem(word), set()).add(word)
    related = {}
    for group in groups.values():
        for word in group:
            related.setdefault(word, set()).update(group - {word})
    for line in (TRAINING / "data" / "synonyms.txt").read_text("utf-8").split("\n"):
        group = set() if line.startswith("#") else set(line.split())
        for word in group:
            related.setdefault(word, set()).update(group - {word})
    return {word: sorted(others) for word, others in related.items() if others}


@lru_cache
def known_words():
    """Words that fill the lexical pairs: the word list, and the synonyms more often."""
    content = (set(words()) | set(kin())) - set(FUNCTION_WORDS)
    return sorted(content) + sorted(content & set(kin()))


def sentence(draw, content):
    """Content words in any order between function words, asked as people ask."""
    content = list(content)
    draw.rng.shuffle(content)
    text = []
    for word in content:
        text += [draw.one(FUNCTION_WORDS) for _ in range(draw.number(0, 2))]
        text.append(word)
    text = " ".join(text)
    if draw.chance(0.4):
        text = draw.one(DO_PATTERNS + WHAT_PATTERNS).format(text)
    return wrap(draw.rng, text)


def lexical(draw):
    """Two sentences that share words, or forms of them, or words of one field."""
    pool = known_words()
    shared = [draw.one(pool) if draw.chance(0.85) else draw.made_up() for _ in range(draw.number(1, 6))]

    def spelled(word):
        others = kin().get(word)
        return draw.one(others) if others and draw.chance(CHANCE_OF_KIN) else word

    first = shared + [draw.one(pool) for _ in range(draw.number(0, 2))]
    kept = draw.some(shared, max(1, round(len(shared) * draw.rng.uniform(0.5, 1))))
    second = [spelled(word) for word in kept] + [draw.one(pool) for _ in range(draw.number(0, 2))]
    return sentence(draw, first), sentence(draw, second)


def pair(seed):
    """(what both are about, text, text). Pairs of one intent are no counterexamples to each other."""
    draw = Draw(f"pair {seed}")
    if draw.chance(0.5):
        return f"lexical {seed}", *lexical(draw)
    topics = HELP if draw.chance(0.8) else SMALL_TALK
    topic = draw.one(topics)
    question, answer = ask_topic(draw, [topic])
    if topics is HELP and draw.chance(0.4):
        return topic.id, question, answer
    return topic.id, question, ask_topic(draw, [topic])[0]


def evaluation(count=60):
    """Held-out questions about the product, and what a search over known questions and over answers should find."""
    questions, known = [], []
    for index in range(2 * count):
        draw = Draw(f"evaluation embedding {index}")
        topic = draw.one(HELP)
        questions.append({"topic": topic.id, "text": ask_topic(draw, [topic], "new-pattern")[0], "kind": "new pattern"})
    for topic in HELP:
        for spellings in topic.test:
            questions.append({"topic": topic.id, "text": spellings[0], "kind": "new phrase"})
        for index in range(5):
            draw = Draw(f"evaluation known {topic.id} {index}")
            known.append({"topic": topic.id, "text": ask_topic(draw, [topic])[0]})
    return {
        "questions": questions,
        "known": known,
        "answers": [{"topic": topic.id, "text": topic.answer} for topic in HELP],
    }
