"""One sample of the training mix, or of one evaluation set."""

from .draw import Draw
from .off_topic import off_topic
from .phrases import DO_HELD_OUT, DO_PATTERNS, WHAT_HELD_OUT, WHAT_PATTERNS, check_topics, read_topics
from .routing import routing
from .skills import SKILLS, repeat
from .tools import choose, not_fitting, system, tool_call
from .turns import CONVERSATIONS
from .wrap import wrap

HELP = read_topics("help.topics")
SMALL_TALK = read_topics("small-talk.topics")
check_topics(HELP + SMALL_TALK)


def all_phrases():
    """Every whole question the topics answer, to keep chance hits out of the off-topic part."""
    known = set()
    for topic in HELP + SMALL_TALK:
        for kind, patterns in (("do", DO_PATTERNS), ("what", WHAT_PATTERNS), ("ask", ["{}"]), ("test", ["{}"])):
            for spellings in getattr(topic, kind):
                known.update(pattern.format(text).lower() for text in spellings for pattern in patterns)
    return known


KNOWN = all_phrases()
# "copy" is repetition of long texts: what names, arguments and quotes have in common is learned there first
SHARES = {
    "help": 24,
    "small-talk": 10,
    "skill": 22,
    "turns": 13,
    "tools": 14,
    "routing": 6,
    "off-topic": 15,
    "copy": 5,
}
# from this sample on copying is learned, and what must be known by heart gets its place
LATE_SAMPLE = 135_000
LATE_SHARES = {
    "help": 29,
    "small-talk": 17,
    "skill": 21,
    "turns": 13,
    "tools": 12,
    "routing": 7,
    "off-topic": 14,
    "copy": 2,
}
# and from this one on what a held-out question showed to be weak: the fallback, and conversations
LAST_SAMPLE = 288_000
LAST_SHARES = {
    "help": 26,
    "small-talk": 14,
    "skill": 20,
    "turns": 15,
    "tools": 13,
    "routing": 6,
    "off-topic": 22,
    "copy": 1,
}
SYSTEM = [
    "You are a helpful assistant.",
    "You are a helpful assistant.",
    "You are a helpful AI assistant.",
    "You are a friendly assistant.",
    "Be brief.",
    "Answer briefly.",
    "You are an assistant.",
    "Answer in one sentence.",
    "You are a chat assistant. Be helpful, honest and harmless.",
    "Be concise and polite.",
    "You are svc's demo model.",
]


def phrase(draw, topic, new_pattern):
    """A question for a topic: its phrase in a pattern, or a whole question."""
    kinds = [
        kind
        for kind, weight in (("do", 5), ("what", 4), ("ask", 4))
        for _ in range(weight)
        if getattr(topic, kind) and (kind != "ask" or not new_pattern or not (topic.do or topic.what))
    ]
    kind = draw.one(kinds)
    text = draw.one(draw.one(getattr(topic, kind)))
    if kind == "do":
        text = draw.one(DO_HELD_OUT if new_pattern else DO_PATTERNS).format(text)
    elif kind == "what":
        text = draw.one(WHAT_HELD_OUT if new_pattern else WHAT_PATTERNS).format(text)
    return text


def ask_topic(draw, topics, form="seen"):
    """form: seen, new-pattern (patterns and wrappers of no training sample) or new-phrase (whole questions of no training sample)."""
    topic = draw.one(topics)
    while form == "new-phrase" and not topic.test:
        topic = draw.one(topics)
    if form == "new-phrase":
        return wrap(draw.rng, draw.one(draw.one(topic.test))), topic.answer
    held_out = form == "new-pattern"
    text = phrase(draw, topic, held_out)
    return wrap(draw.rng, text, held_out, keep=topics is SMALL_TALK and held_out), topic.answer


def skill(draw):
    return draw.rng.choices(list(SKILLS), SKILLS.values())[0](draw)


def single(draw):
    """One question and answer of any part but routing and tools."""
    part = draw.rng.choices(["help", "small-talk", "skill", "off-topic"], [35, 20, 30, 15])[0]
    return question_of(draw, part)


def question_of(draw, part):
    if part == "help":
        return ask_topic(draw, HELP)
    if part == "small-talk":
        return ask_topic(draw, SMALL_TALK)
    if part == "copy":
        return repeat(draw, 16)
    return skill(draw) if part == "skill" else off_topic(draw, KNOWN)


def as_turns(pair):
    return [("user", pair[0]), ("assistant", pair[1])]


def others(draw):
    """A turn between the ones that matter: short parts only."""
    return as_turns(question_of(draw, draw.rng.choices(["help", "small-talk", "skill"], [35, 35, 30])[0]))


def system_prompt(draw):
    chance = draw.rng.random()
    if chance < 0.25:
        return draw.one(SYSTEM)
    return draw.words(3, 12).capitalize() + "." if chance < 0.29 else ""


def sample(seed):
    """(part, turns) of the training mix; the seed alone decides."""
    draw = Draw(seed)
    shares = SHARES if seed < LATE_SAMPLE else LATE_SHARES if seed < LAST_SAMPLE else LAST_SHARES
    part = draw.rng.choices(list(shares), shares.values())[0]
    if part == "routing":
        return part, routing(draw)
    prompt = system_prompt(draw)
    if part == "tools":
        if draw.chance(0.22):
            question = off_topic(draw, KNOWN) if draw.chance(0.25) else single(draw)
            return part, not_fitting(draw, prompt, *question)
        return part, tool_call(draw, prompt)[0]
    if part == "turns":
        turns = draw.rng.choices(list(CONVERSATIONS), CONVERSATIONS.values())[0](draw, others)
    else:
        turns = as_turns(question_of(draw, part))
        if draw.chance(0.06):
            turns = others(draw) + turns
    if draw.chance(0.03):
        return part, [("system", system(draw, choose(draw)[1], prompt))] + turns
    return part, ([("system", prompt)] if prompt else []) + turns


def evaluation(count):
    """The held-out sets: {set: [{"messages": [...], "answer": ...}]}; tools stand in the system message as text."""
    sets = {}

    def add(name, turns):
        sets.setdefault(name, []).append(
            {"messages": [{"role": role, "content": text} for role, text in turns[:-1]], "answer": turns[-1][1]}
        )

    for index in range(count):

        def fresh(name, held_out=True):
            return Draw(f"evaluation {name} {index}", held_out)

        add("help, known phrase", as_turns(ask_topic(fresh("seen", False), HELP)))
        add("help, new pattern", as_turns(ask_topic(fresh("pattern", False), HELP, "new-pattern")))
        add("small talk, known phrase", as_turns(ask_topic(fresh("talk", False), SMALL_TALK)))
        draw = fresh("skill")
        name = list(SKILLS)[index % len(SKILLS)]
        add("skill " + name.__name__, as_turns(name(draw)))
        draw = fresh("turns")
        conversation = draw.rng.choices(list(CONVERSATIONS), CONVERSATIONS.values())[0]
        add("turns " + conversation.__name__, conversation(draw, others))
        turns, kind = tool_call(fresh("tool"), "")
        add("tool call, new tool name" if kind == "tool-strange" else "tool call, known tool name", turns)
        draw = fresh("tool not fitting")
        add("tool not fitting", not_fitting(draw, "", *single(Draw(f"evaluation plain {index}"))))
        add("routing, free answer", routing(fresh("routing")))
        add("off topic, templates", as_turns(off_topic(fresh("off topic"), KNOWN)))
    for topics, name in ((HELP, "help, new phrase"), (SMALL_TALK, "small talk, new phrase")):
        for topic in topics:
            for spellings in topic.test:
                add(name, [("user", spellings[0]), ("assistant", topic.answer)])
    return sets
