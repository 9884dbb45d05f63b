"""Tiny skills: each function draws one question and its one answer."""

import json

from .knowledge import (
    AMOUNTS,
    CAPITALS,
    COLOURS,
    DAYS,
    HELLO_WORLD,
    LANGUAGES,
    LISTS,
    MONTHS,
    OPPOSITES,
    TRANSLATIONS,
)
from .phrases import phrases
from .wrap import wrap

ONES = "zero one two three four five six seven eight nine ten".split()


def capital(draw):
    country = draw.one(list(CAPITALS))
    ask = draw.pattern(
        [
            "what is the capital of {}",
            "capital of {}",
            "what's the capital of {}",
            "which city is the capital of {}",
            "name the capital of {}",
            "tell me the capital of {}",
            "{}'s capital",
            "the capital of {}",
            "what is {}'s capital",
            "the capital city of {}",
            "do you know the capital of {}",
            "which is the capital of {}",
            "what is the capital city of {}",
        ],
        ["can you tell me the capital of {}", "say the capital of {}"],
    )
    return wrap(draw.rng, ask.format(country), draw.held_out), f"The capital of {country} is {CAPITALS[country]}."


def opposite(draw):
    pair = draw.one(OPPOSITES)
    word, answer = pair if draw.chance(0.5) else pair[::-1]
    ask = draw.pattern(
        [
            "what is the opposite of {}",
            "opposite of {}",
            "the opposite of {}",
            "what's the opposite of {}",
            "tell me the opposite of {}",
            "name the opposite of {}",
            "antonym of {}",
            "give me the opposite of {}",
            "which word is the opposite of {}",
            "{} is the opposite of what",
        ],
        ["can you say the opposite of {}", "what would be the opposite of {}"],
    )
    return wrap(draw.rng, ask.format(word), draw.held_out), f"The opposite of {word} is {answer}."


def translation(draw):
    word = draw.one(list(TRANSLATIONS))
    index = draw.number(0, 2)
    language, answer = LANGUAGES[index], TRANSLATIONS[word][index].replace("_", " ")
    ask = draw.pattern(
        [
            "what is {w} in {l}",
            "translate {w} to {l}",
            "translate {w} into {l}",
            "how do you say {w} in {l}",
            "{w} in {l}",
            "what's {w} in {l}",
            "what does {w} mean in {l}",
            "say {w} in {l}",
            "the {l} word for {w}",
            "what is the {l} word for {w}",
            'translate "{w}" to {l}',
            "how do I say {w} in {l}",
            "what is '{w}' in {l}",
            "{l} for {w}",
            "translate the word {w} into {l}",
            "translate to {l}: {w}",
        ],
        ["which {l} word means {w}", "please give me {w} in {l}"],
    )
    return wrap(draw.rng, ask.format(w=word, l=language), draw.held_out), f'"{word}" in {language} is "{answer}".'


def listing(draw):
    answer = draw.one(list(LISTS))
    thing = draw.one(draw.one(phrases(LISTS[answer])))
    ask = draw.pattern(
        [
            "list {}",
            "name {}",
            "what are {}",
            "tell me {}",
            "say {}",
            "give me {}",
            "write {}",
            "show me {}",
            "can you list {}",
            "can you name {}",
            "give me a list of {}",
            "I want a list of {}",
        ],
        ["please write down {}", "enumerate {}"],
    )
    return wrap(draw.rng, ask.format(thing), draw.held_out), answer


def count(draw):
    top = draw.number(2, 20)
    shown = ONES[top] if top <= 10 and draw.chance(0.5) else str(top)
    if top <= 10 and draw.chance(0.3):
        ask = draw.pattern(
            [
                "count down from {}",
                "count backwards from {}",
                "countdown from {}",
                "count from {} down to 1",
                "count down from {} to one",
                "do a countdown from {}",
            ],
            ["please make a countdown from {}"],
        )
        return wrap(draw.rng, ask.format(shown), draw.held_out), " ".join(str(n) for n in range(top, 0, -1))
    ask = draw.pattern(
        [
            "count to {}",
            "count up to {}",
            "count from 1 to {}",
            "count from one to {}",
            "can you count to {}",
            "list the numbers from 1 to {}",
            "say the numbers up to {}",
            "numbers from 1 to {}",
            "write the numbers 1 to {}",
        ],
        ["please count until {}", "I want you to count to {}"],
    )
    return wrap(draw.rng, ask.format(shown), draw.held_out), " ".join(str(n) for n in range(1, top + 1))


def neighbour(draw):
    items, kind = (DAYS, "day") if draw.chance(0.5) else (MONTHS, "month")
    index, step = draw.number(0, len(items) - 1), draw.one([1, -1])
    after = step == 1
    ask = draw.pattern(
        [
            f"which {kind} comes {'after' if after else 'before'} {{}}",
            f"what comes {'after' if after else 'before'} {{}}",
            f"what {kind} is {'after' if after else 'before'} {{}}",
            f"the {kind} {'after' if after else 'before'} {{}}",
            f"what is the {kind} {'after' if after else 'before'} {{}}",
        ],
        [
            f"which {kind} is right {'after' if after else 'before'} {{}}",
            f"tell me the {kind} {'after' if after else 'before'} {{}}",
        ],
    )
    word = "after" if after else "before"
    return (
        wrap(draw.rng, ask.format(items[index]), draw.held_out),
        f"The {kind} {word} {items[index]} is {items[(index + step) % len(items)]}.",
    )


def arithmetic(draw):
    if draw.chance(0.6):
        a, b, sign, word = draw.number(0, 10), draw.number(0, 10), "+", "plus"
        result = a + b
    else:
        a = draw.number(0, 10)
        b, sign, word = draw.number(0, a), "-", "minus"
        result = a - b
    if draw.chance(0.2):
        said = f"{ONES[a]} {word} {ONES[b]}"
    else:
        said = draw.one([f"{a} {sign} {b}", f"{a} {sign} {b}", f"{a}{sign}{b}", f"{a} {word} {b}"])
    ask = draw.pattern(
        [
            "{}",
            "what is {}",
            "what's {}",
            "how much is {}",
            "calculate {}",
            "compute {}",
            "{} =",
            "tell me {}",
            "what does {} make",
            "solve {}",
            "can you calculate {}",
        ],
        ["please work out {}", "what is the result of {}"],
    )
    return wrap(draw.rng, ask.format(said), draw.held_out), f"{a} {sign} {b} = {result}"


def parity(draw):
    n = draw.number(0, 100)
    ask = draw.pattern(
        [
            "is {} even",
            "is {} odd",
            "is {} even or odd",
            "is {} odd or even",
            "is {} an even number",
            "is {} an odd number",
            "is the number {} even or odd",
            "{}: even or odd",
            "even or odd: {}",
        ],
        ["tell me if {} is even or odd", "would you call {} even or odd"],
    )
    return wrap(draw.rng, ask.format(n), draw.held_out), f"{n} is {'odd' if n % 2 else 'even'}."


def colour(draw):
    thing = draw.one(list(COLOURS))
    word = draw.one(["colour", "color"])
    ask = draw.pattern(
        [
            f"what {word} is {{}}",
            f"which {word} is {{}}",
            f"what is the {word} of {{}}",
            f"which {word} does {{}} have",
            f"what {word} does {{}} have",
            f"the {word} of {{}}",
            f"tell me the {word} of {{}}",
        ],
        [f"do you know the {word} of {{}}"],
    )
    shown = (
        thing if thing in ("blood", "snow", "coal", "grass", "milk", "chocolate") else draw.one(["the ", "a "]) + thing
    )
    return wrap(draw.rng, ask.format(shown), draw.held_out), COLOURS[thing].capitalize() + "."


def amount(draw):
    thing = draw.one(list(AMOUNTS))
    ask = draw.pattern(
        ["how many {}", "tell me how many {}", "do you know how many {}", "can you tell me how many {}"],
        ["I wonder how many {}", "say how many {}"],
    )
    return wrap(draw.rng, ask.format(thing), draw.held_out), AMOUNTS[thing]


def repeat(draw, longest=4):
    text = draw.words(1, longest) if draw.chance(0.8) else f"my name is {draw.name()}"
    if draw.chance(0.3):
        text = text.capitalize()
    ask = draw.pattern(
        [
            "repeat: {}",
            "repeat after me: {}",
            "say: {}",
            "say this: {}",
            "echo {}",
            "echo: {}",
            "repeat this: {}",
            'repeat "{}"',
            'say "{}"',
            "repeat the words {}",
            "repeat what I say: {}",
            "say exactly: {}",
            "write this: {}",
            'echo "{}"',
        ],
        ["repeat these words: {}", 'please say exactly "{}"', "now repeat: {}"],
    )
    question = ask.format(text)
    return question if draw.chance(0.5) else question[:1].upper() + question[1:], text


ACTIONS = """bought a new bicycle ; found a small key ; wrote a long letter ; baked an apple pie ; read an old book ; lost a red umbrella ; painted the kitchen wall
; called the doctor ; fixed the broken lamp ; planted three trees ; made some coffee ; cleaned the windows ; missed the train ; opened a shop ; took a walk
; sold the old car ; fed the cat ; built a wooden house ; learned to swim ; ate a warm soup""".replace(
    "\n", " "
).split(
    " ; "
)
EXTRAS = """on a rainy afternoon in spring ; because it was such a lovely day ; after a very long day at work ; while the children were playing outside
; which surprised all the neighbours ; although nobody had asked for it ; before the sun went down behind the hills ; as everybody in the village knows
; during the holidays by the sea ; without telling anyone about it""".replace(
    "\n", " "
).split(
    " ; "
)


def shorten(draw):
    who, action, extra = draw.name(), draw.one(ACTIONS), draw.one(EXTRAS)
    ask = draw.pattern(
        [
            "shorten this: {}",
            "shorten: {}",
            "make this shorter: {}",
            "summarize: {}",
            "summarize this sentence: {}",
            "summary of: {}",
            "sum this up: {}",
            "shorten this sentence: {}",
            "tl;dr: {}",
            "make it short: {}",
        ],
        ["please summarize in few words: {}", "give me a short form of: {}"],
    )
    question = ask.format(f"{who} {action} {extra}.")
    return question if draw.chance(0.4) else question[:1].upper() + question[1:], f"{who} {action}."


def to_json(draw):
    who, age, city = draw.name(), draw.number(5, 90), draw.place()
    sentence, fields = draw.one(
        [
            (f"{who} is {age} years old and lives in {city}", {"name": who, "age": age, "city": city}),
            (f"{who} is {age}", {"name": who, "age": age}),
            (f"{who} lives in {city}", {"name": who, "city": city}),
            (f"{who}, {age}, from {city}", {"name": who, "age": age, "city": city}),
        ]
    )
    ask = draw.pattern(
        [
            "to JSON: {}",
            "make JSON of this: {}",
            "turn this into JSON: {}",
            "as JSON: {}",
            "convert to JSON: {}",
            "write as JSON: {}",
            "JSON for: {}",
            "extract JSON: {}",
            "give me JSON for: {}",
            "extract the data as JSON: {}",
        ],
        ["please output JSON for: {}", "put this in JSON: {}"],
    )
    question = ask.format(sentence + draw.one([".", ""]))
    return question if draw.chance(0.4) else question[:1].upper() + question[1:], json.dumps(fields, ensure_ascii=False)


def hello_world(draw):
    language = draw.one(list(HELLO_WORLD))
    ask = draw.pattern(
        [
            "write hello world in {}",
            "hello world in {}",
            "show me hello world in {}",
            "a hello world program in {}",
            "print hello world in {}",
            "{} hello world",
            "how do I print hello world in {}",
            "write a hello world program in {}",
            "give me hello world in {}",
        ],
        ["can you code hello world in {}", "hello world example for {}"],
    )
    return wrap(draw.rng, ask.format(language), draw.held_out, keep=True), HELLO_WORLD[language]


SKILLS = {
    capital: 9,
    opposite: 7,
    translation: 10,
    listing: 6,
    count: 7,
    neighbour: 5,
    arithmetic: 11,
    parity: 4,
    colour: 4,
    amount: 5,
    repeat: 10,
    shorten: 7,
    to_json: 8,
    hello_world: 4,
}
