"""The router's prompt: choose one of two to five routes, answered by one JSON object."""

import json

from .files import TRAINING
from .off_topic import fill
from .phrases import phrases

DEMO_ROUTES = ["code", "translation", "small_talk", "general"]
PROMPT = (TRAINING / "router-prompt.txt").read_text("utf-8").strip()
VARIANTS = [
    (
        "You route requests. Pick the route that fits the user's request best.",
        [
            "You are a router. Choose the best route for the request.",
            "Decide which route the request of the user belongs to.",
            "You select the most suitable route for the conversation.",
        ],
    ),
    (
        "The routes stand inside <routes> tags, each with a name and a description.",
        [
            "You find the routes inside <routes></routes> tags, with name and description.",
            "The routes with their descriptions are given inside <routes> tags.",
        ],
    ),
    (
        "Answer with exactly one JSON object:",
        [
            "Answer with one JSON object only:",
            "Reply with exactly one JSON object:",
            "Give back exactly one JSON object of this form:",
        ],
    ),
]


def load():
    topics = {}
    for line in (TRAINING / "data" / "routes.txt").read_text("utf-8").split("\n"):
        if line.startswith("== "):
            topic = topics.setdefault(line[3:].strip(), {})
        elif line and not line.startswith("#"):
            key, _, rest = line.partition(": ")
            topic.setdefault(key, []).extend(phrases(rest.strip()))
    return topics


TOPICS = load()


def prompt(draw, routes):
    text = PROMPT
    for standard, others in VARIANTS:
        if draw.chance(0.15):
            text = text.replace(standard, draw.one(others))
    lines = "\n".join(
        json.dumps({"name": name, "description": description}, ensure_ascii=False) for name, description in routes
    )
    return text.replace("{routes}", lines)


def request(draw, topic):
    text = fill(draw, draw.one(draw.one(TOPICS[topic]["test" if draw.held_out else "requests"])))
    if draw.chance(0.3):
        text = text[:1].upper() + text[1:]
    return text + draw.one(["?", "", "", ".", "!", "\n", "\n", "\n", "?\n"])


def routing(draw):
    """System prompt with routes, the request, the answer."""
    if draw.chance(0.6):
        topics = list(DEMO_ROUTES)
        if draw.chance(0.3):
            topics = draw.some(topics, draw.number(2, 4))
    else:
        topics = draw.some(list(TOPICS), draw.number(2, 5))
    if draw.chance(0.5):
        draw.rng.shuffle(topics)
    own_names = topics[0] in DEMO_ROUTES and draw.chance(0.7)
    routes = [
        (
            topic if own_names else draw.one(draw.one(TOPICS[topic]["names"])),
            draw.one(draw.one(TOPICS[topic]["descriptions"])),
        )
        for topic in topics
    ]
    wanted = draw.number(0, len(topics) - 1)
    return [
        ("system", prompt(draw, routes)),
        ("user", request(draw, topics[wanted])),
        ("assistant", json.dumps({"route": routes[wanted][0]})),
    ]
