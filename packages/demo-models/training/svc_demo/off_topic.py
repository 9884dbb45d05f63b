"""Prompts outside of what the model knows, and the honest answer to them."""

import re

from .files import TRAINING, state
from .wrap import wrap

START = "I am a very small demo model and"
HINT = "For real answers, add a larger GGUF model: {command.models-add}"
ENDINGS = {"know": "do not know that.", "do": "cannot do that.", "read": "did not understand that."}
# common nouns and verbs make the near misses look like real questions
COMMON = """car house dog cat garden kitchen phone book table chair window door shoe shirt cake soup bread pizza tree flower bird fish horse cow boat bike train bus plane
street city village river mountain island beach sea forest field farm school teacher student doctor nurse hospital shop market money bank job office boss letter paper pen
picture film song music guitar piano game ball team player king queen castle sword dragon ghost robot planet star moon sun rocket engine wheel battery lamp clock watch
camera radio television computer laptop keyboard mouse screen printer website file folder message email password account battle war peace history language word number
question answer problem idea dream story poem joke recipe sugar salt water milk coffee tea wine beer apple banana potato tomato cheese egg meat rice pasta salad family
mother father brother sister baby child friend neighbour birthday wedding holiday winter summer snow rain storm wind fire ice stone gold silver iron glass wood cotton
bed blanket pillow bath soap mirror hair tooth heart brain bone blood skin eye ear nose hand foot knee medicine pain fever virus law judge police president election tax
paint cook bake wash clean repair build sell buy find open close move cut draw sing dance jump swim run climb catch throw carry push pull learn teach read grow plant""".split()
KEYS = "asdfghjklqwertyuiopzxcvbnm,.;1234567890"


def fallback(ending):
    return f"{START} {ENDINGS[ending]} {state(HINT)}"


def load():
    templates, section = {}, None
    for line in (TRAINING / "data" / "off-topic.txt").read_text("utf-8").split("\n"):
        if line.startswith("== "):
            section = line[3:].strip()
        elif line and not line.startswith("# "):
            templates.setdefault(section, []).extend(part for part in line.split(" ; ") if part.strip())
    return templates


TEMPLATES = load()
SHARES = {"know": 42, "do": 24, "read": 26, "foreign": 8}


def slot(draw, key):
    if key in "wxy":
        return draw.of(COMMON) if draw.chance(0.5) else draw.word()
    if key == "m":
        return draw.made_up()
    if key == "M":
        return draw.made_up().upper()
    if key == "n":
        return draw.name()
    if key == "p":
        return draw.place()
    if key == "s":
        return draw.words(3, 8)
    if key == "k":
        return "".join(draw.one(KEYS) for _ in range(draw.number(3, 12)))
    if key == "D":
        return str(draw.number(60, 5000))
    return str(draw.number(21, 99) if draw.chance(0.5) else draw.number(101, 3000))


def fill(draw, template):
    return re.sub(r"\{(d2|d3|[wxymnpskdDM])\}", lambda match: slot(draw, match[1]), template)


def off_topic(draw, known=frozenset()):
    """A prompt and the fallback. known: what other parts answer, so it is no prompt of this part."""
    kind = draw.rng.choices(list(SHARES), SHARES.values())[0]
    if draw.held_out and kind != "foreign":
        template = draw.one(TEMPLATES["test-" + kind])
    else:
        template = draw.one(TEMPLATES[kind])
    prompt = fill(draw, template)
    while prompt.lower().rstrip("?!. ") in known:
        prompt = fill(draw, draw.one(TEMPLATES[kind]))
    ending = "read" if kind == "foreign" else kind
    if kind in ("know", "do"):
        prompt = wrap(draw.rng, prompt, draw.held_out)
    elif draw.chance(0.3):
        prompt += draw.one(["?", ".", "!", "...", "??"])
    if kind != "know" and draw.chance(0.2):
        prompt = prompt[:1].upper() + prompt[1:]
    return prompt, fallback(ending)
