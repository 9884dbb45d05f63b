"""Conversations of several turns: what the user said of himself, follow-up questions, repetition."""

from .knowledge import COLOURS, LANGUAGES, TRANSLATIONS
from .wrap import wrap

COLOUR_NAMES = sorted(set(COLOURS.values()) | {"purple", "pink", "grey", "gold", "silver", "violet", "turquoise"})
PETS = "dog cat horse rabbit parrot hamster goldfish turtle snake mouse pony duck goat".split()
FOODS = "pizza pasta soup bread rice salad cheese chocolate fish curry sushi cake ice-cream noodles pancakes apples bananas potatoes".split()

FACTS = {
    # fact: told, reply, asked, answer, answer when it was never told; told and asked: trained patterns, held-out patterns
    "name": (
        (
            [
                "my name is {}",
                "I am {}",
                "I'm {}",
                "call me {}",
                "you can call me {}",
                "hi, I am {}",
                "hello, my name is {}",
                "this is {}",
                "{} is my name",
                "hey, I'm {}",
                "my name's {}",
                "hello! I am {}.",
                "people call me {}",
            ],
            ["hi there, my name is {}", "they call me {}"],
        ),
        "Nice to meet you, {}!",
        (
            [
                "what is my name",
                "what's my name",
                "do you know my name",
                "who am I",
                "tell me my name",
                "do you remember my name",
                "what am I called",
                "say my name",
                "can you tell me my name",
                "my name",
            ],
            ["which name do I have", "do you still know my name"],
        ),
        "Your name is {}.",
        "You have not told me your name yet.",
    ),
    "home": (
        (
            [
                "I live in {}",
                "I am from {}",
                "my home is {}",
                "I come from {}",
                "I'm from {}",
                "my city is {}",
                "my home town is {}",
            ],
            ["my home is in {}", "we live in {}"],
        ),
        "{} must be a nice place!",
        (
            [
                "where do I live",
                "where am I from",
                "do you know where I live",
                "which city do I live in",
                "where do I come from",
                "where is my home",
                "what is my home town",
                "in which city do I live",
            ],
            ["do you remember where I live", "tell me where I live"],
        ),
        "You live in {}.",
        "You have not told me where you live.",
    ),
    "colour": (
        (
            [
                "my favourite colour is {}",
                "my favorite color is {}",
                "I like the colour {}",
                "the colour I like best is {}",
                "I love the color {}",
            ],
            ["{} is my favourite colour", "{} is the colour I like best"],
        ),
        "{} is a nice colour!",
        (
            [
                "what is my favourite colour",
                "what's my favorite color",
                "which colour do I like",
                "do you know my favourite colour",
                "what colour do I like best",
                "tell me my favourite colour",
            ],
            ["do you remember my favourite colour", "which color do I like best"],
        ),
        "Your favourite colour is {}.",
        "You have not told me your favourite colour.",
    ),
    "pet": (
        (
            ["I have a {}", "my pet is a {}", "I own a {}", "I have got a {}"],
            ["there is a {} in my home, it is my pet", "we have a {}"],
        ),
        "A {} is a good friend!",
        (
            [
                "what pet do I have",
                "which pet do I have",
                "what is my pet",
                "which animal do I have",
                "do you know my pet",
                "what animal do I have",
            ],
            ["do you remember my pet", "tell me which pet I have"],
        ),
        "You have a {}.",
        "You have not told me about a pet.",
    ),
    "food": (
        (
            [
                "my favourite food is {}",
                "my favorite food is {}",
                "I like to eat {}",
                "I love to eat {}",
                "the food I like best is {}",
            ],
            ["{} is my favourite food", "I really like to eat {}"],
        ),
        "Enjoy your {}!",
        (
            [
                "what is my favourite food",
                "what do I like to eat",
                "what's my favorite food",
                "which food do I like",
                "do you know my favourite food",
            ],
            ["do you remember my favourite food", "tell me what I like to eat"],
        ),
        "You like to eat {}.",
        "You have not told me your favourite food.",
    ),
}
WEIGHTS = {"name": 50, "home": 20, "colour": 12, "pet": 8, "food": 10}


def value_of(draw, fact):
    if fact == "name":
        return draw.name()
    if fact == "home":
        return draw.place()
    return draw.one({"colour": COLOUR_NAMES, "pet": PETS, "food": FOODS}[fact])


def start(text):
    return text[:1].upper() + text[1:]


def told(draw, fact, value):
    (trained, held_out), reply = FACTS[fact][0], FACTS[fact][1]
    text = draw.pattern(trained, held_out).format(value)
    if draw.chance(0.5):
        text = start(text)
    if not text.endswith("."):
        text += draw.one([".", "", "", "!"])
    return [("user", text), ("assistant", start(reply.format(value)))]


def asked(draw, fact, answer):
    trained, held_out = FACTS[fact][2]
    return [("user", wrap(draw.rng, draw.pattern(trained, held_out), draw.held_out)), ("assistant", answer)]


def recall(draw, others):
    """A fact is told, other turns follow, then it is asked for."""
    fact, second = draw.rng.choices(list(WEIGHTS), WEIGHTS.values(), k=2)
    value = value_of(draw, fact)
    turns = told(draw, fact, value)
    for _ in range(draw.rng.choices([0, 1, 2, 3], [35, 35, 20, 10])[0]):
        if draw.chance(0.3) and second != fact:
            turns += told(draw, second, value_of(draw, second))
            second = fact
        else:
            turns += others(draw)
    return turns + asked(draw, fact, start(FACTS[fact][3].format(value)))


def told_and_asked(draw, _others):
    """Both in one message."""
    fact = draw.rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
    value = value_of(draw, fact)
    said, question = told(draw, fact, value)[0][1].rstrip(".!"), asked(draw, fact, "")[0][1]
    return [
        ("user", f"{said}{draw.one(['. ', ', ', '. '])}{question}"),
        ("assistant", start(FACTS[fact][3].format(value))),
    ]


def unknown(draw, others):
    """Asked for a fact that was never told."""
    fact = draw.rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
    turns = []
    for _ in range(draw.rng.choices([0, 1, 2], [60, 25, 15])[0]):
        other = draw.one([key for key in WEIGHTS if key != fact])
        turns += told(draw, other, value_of(draw, other)) if draw.chance(0.5) else others(draw)
    return turns + asked(draw, fact, FACTS[fact][4])


def only_told(draw, others):
    fact = draw.rng.choices(list(WEIGHTS), WEIGHTS.values())[0]
    before = others(draw) if draw.chance(0.3) else []
    return before + told(draw, fact, value_of(draw, fact))


def in_another_language(draw, _others):
    """A translation, then "and in German?"."""
    word = draw.one(list(TRANSLATIONS))
    first, second = draw.some(range(3), 2)

    def answer(index):
        return f'"{word}" in {LANGUAGES[index]} is "{TRANSLATIONS[word][index].replace("_", " ")}".'

    ask = draw.pattern(
        [
            "and in {}?",
            "in {}?",
            "what about {}?",
            "and {}?",
            "And in {}?",
            "now in {}",
            "and how in {}?",
            "also in {}",
        ],
        ["and what is it in {}?", "the same in {}"],
    )
    return [
        ("user", wrap(draw.rng, f"what is {word} in {LANGUAGES[first]}", draw.held_out)),
        ("assistant", answer(first)),
        ("user", ask.format(LANGUAGES[second])),
        ("assistant", answer(second)),
    ]


def again(draw, others):
    """The last answer once more."""
    turns = others(draw)
    ask = draw.pattern(
        [
            "repeat that",
            "say that again",
            "again",
            "can you repeat that",
            "what did you say",
            "once more",
            "please repeat",
            "repeat your answer",
            "one more time",
            "say it again",
        ],
        ["could you say that once more", "repeat what you said"],
    )
    return turns + [("user", wrap(draw.rng, ask, draw.held_out)), ("assistant", turns[-1][1])]


CONVERSATIONS = {recall: 55, told_and_asked: 9, unknown: 9, only_told: 9, in_another_language: 10, again: 8}
