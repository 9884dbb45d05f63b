"""Phrases with alternatives, the topic files, and question patterns around phrases."""

import itertools
import re
from dataclasses import dataclass, field

from .files import TRAINING, state


def expand(phrase):
    """All spellings of a phrase: "[a|the|] model" gives three."""
    parts = re.split(r"\[([^\]]*)\]", phrase)
    choices = [[part] if index % 2 == 0 else part.split("|") for index, part in enumerate(parts)]
    return [re.sub(r" +", " ", "".join(pick)).strip() for pick in itertools.product(*choices)]


def phrases(line):
    """The hand-written phrases of a line, each as the list of its spellings."""
    return [expand(part) for part in line.split(" ; ") if part.strip()]


@dataclass
class Topic:
    """One intent: its answer and the ways to ask for it."""

    id: str
    answer: str
    do: list = field(default_factory=list)
    what: list = field(default_factory=list)
    ask: list = field(default_factory=list)
    test: list = field(default_factory=list)


def read_topics(name):
    """The topics of a file in data/."""
    topics = []
    for line in (TRAINING / "data" / name).read_text("utf-8").split("\n"):
        if line.startswith("== "):
            topics.append(Topic(line[3:].strip(), ""))
        elif line.startswith("= "):
            topics[-1].answer = state(line[2:].strip())
        elif line and not line.startswith("#"):
            kind, _, rest = line.partition(": ")
            getattr(topics[-1], kind).extend(phrases(rest.strip()))
    check_topics(topics)
    return topics


def check_topics(topics):
    """No phrase may belong to two intents, the model could not learn both; no test phrase may be trained."""
    seen, conflicts = {}, []
    trained = {
        spelling.lower()
        for topic in topics
        for kind in ("do", "what", "ask")
        for spelling in itertools.chain.from_iterable(getattr(topic, kind))
    }
    for topic in topics:
        for spelling in itertools.chain.from_iterable(topic.test):
            if spelling.lower() in trained:
                conflicts.append(f"{spelling!r} tests {topic.id} and is trained")
    for topic in topics:
        for kind in ("do", "what", "ask", "test"):
            for spelling in itertools.chain.from_iterable(getattr(topic, kind)):
                other = seen.setdefault((kind, spelling.lower()), topic.id)
                if other != topic.id:
                    conflicts.append(f"{spelling!r} is in {other} and in {topic.id}")
    if conflicts:
        raise ValueError("; ".join(conflicts))


DO_PATTERNS = [
    "how do I {}",
    "how can I {}",
    "how to {}",
    "how do you {}",
    "how does one {}",
    "how would I {}",
    "how should I {}",
    "how could I {}",
    "how can we {}",
    "how do we {}",
    "what is the way to {}",
    "what's the best way to {}",
    "is there a way to {}",
    "is there any way to {}",
    "is it possible to {}",
    "can I {}",
    "can you {}",
    "could I {}",
    "can one {}",
    "I want to {}",
    "I would like to {}",
    "I'd like to {}",
    "I need to {}",
    "I have to {}",
    "I am trying to {}",
    "I am trying to {} but I do not know how",
    "I do not know how to {}",
    "I want to know how to {}",
    "help me {}",
    "help me to {}",
    "please help me {}",
    "show me how to {}",
    "tell me how to {}",
    "explain how to {}",
    "explain to me how to {}",
    "could you explain how to {}",
    "can you tell me how to {}",
    "can you show me how to {}",
    "do you know how to {}",
    "what do I do to {}",
    "what do I have to do to {}",
    "what must I do to {}",
    "which command do I use to {}",
    "where can I {}",
    "where do I {}",
    "what do I need to {}",
    "steps to {}",
    "instructions to {}",
    "{}",
    "{}",
    "let me {}",
    "we want to {}",
    "my boss wants me to {}",
    "is there an option to {}",
    "is there a setting to {}",
    "I forgot how to {}",
    "any idea how to {}",
    "how exactly do I {}",
    "what would it take to {}",
    "is there some way to {}",
    "I wonder how to {}",
    "I would like to know how to {}",
    "I wish to {}",
    "guide me to {}",
    "teach me how to {}",
    "what is the trick to {}",
    "what is the command to {}",
    "what do I type to {}",
    "what should I do to {}",
    "I plan to {}",
    "trying to {}",
    "I cannot {}",
    "please {}",
    "would you {}",
    "how may I {}",
    "does svc allow me to {}",
    "can svc help me to {}",
]
DO_HELD_OUT = [
    "what is needed to {}",
    "would you teach me to {}",
    "a way to {}",
    "how might I {}",
    "does svc let me {}",
]
WHAT_PATTERNS = [
    "what is {}",
    "what's {}",
    "what are {}",
    "what is {} for",
    "what does {} do",
    "what does {} mean",
    "tell me about {}",
    "tell me something about {}",
    "tell me more about {}",
    "explain {}",
    "explain {} to me",
    "please explain {}",
    "can you explain {}",
    "could you explain {}",
    "info on {}",
    "information about {}",
    "describe {}",
    "{}",
    "{}",
    "how does {} work",
    "I want to know about {}",
    "I have a question about {}",
    "help with {}",
    "I need help with {}",
    "do you know {}",
    "give me {}",
    "show me {}",
    "what do you know about {}",
    "what can you tell me about {}",
    "I do not understand {}",
    "what about {}",
    "where is {}",
    "which is {}",
    "tell me {}",
    "docs for {}",
    "more about {}",
    "what exactly is {}",
    "details about {}",
    "I want to know {}",
    "where do I find {}",
    "can you tell me {}",
    "is there {}",
    "do you have {}",
    "definition of {}",
    "I would love to know about {}",
    "say something about {}",
    "a few words on {}",
    "give me a hint about {}",
    "I heard about {}",
    "introduce {} to me",
    "any info on {}",
    "could you describe {}",
    "let me know about {}",
    "{}, what is that",
    "please tell me about {}",
    "I am looking for {}",
    "I am interested in {}",
    "I want to learn about {}",
    "what should I know about {}",
]
WHAT_HELD_OUT = ["I read about {}", "teach me {}", "I am curious about {}", "a word on {}"]
