"""Tool calls: one to three tools in the system turn, a fitting or a foreign question, the call, the result."""

import json

from .wrap import wrap

ITEMS = "milk bread eggs apples coffee tea butter rice soap paper batteries flowers cheese salt bananas".split()
CODES = "EUR USD GBP JPY CHF CAD AUD SEK PLN INR".split()
ROOMS = "kitchen bedroom garage office hall garden bathroom cellar attic living-room".split()
SONGS = "Silent River; Blue Train; Summer Rain; Old Friends; Morning Light; Golden Road; Night Walk; Little Boat; Paper Moon; Wild Wind".split(
    "; "
)
SUBJECTS = "meeting invoice holiday report dinner lunch project party contract schedule".split()


def city(draw):
    return draw.place()


def person(draw):
    return draw.name()


def topic(draw):
    return draw.words(1, 3)


FAMILIES = {
    # names; descriptions; arguments: (spellings, value); trained questions; held-out questions; result; answer
    "weather": (
        [
            "get_weather",
            "weather",
            "getWeather",
            "current_weather",
            "weather_lookup",
            "fetch_weather",
            "get_current_weather",
        ],
        ["Get the weather of a city", "Current weather", "Weather for a place", "Returns the weather of a city"],
        [(["city", "location", "place", "town"], city)],
        [
            "what is the weather in {0}",
            "how is the weather in {0}",
            "weather in {0}",
            "is it raining in {0}",
            "is it warm in {0}",
            "what's the weather like in {0}",
            "tell me the weather in {0}",
            "do I need an umbrella in {0}",
            "get the weather for {0}",
        ],
        ["how warm is it in {0} now", "check the weather in {0}"],
        lambda draw: {
            "temperature": draw.number(-5, 35),
            "condition": draw.one(["sunny", "rainy", "cloudy", "windy", "foggy", "snowy"]),
        },
        lambda result, args: f"It is {result['temperature']} degrees and {result['condition']} in {args[0]}.",
    ),
    "time": (
        ["get_time", "time", "current_time", "getTime", "clock", "world_clock", "time_in"],
        ["Get the time in a city", "Current local time", "Tells the time of a place"],
        [(["city", "location", "place", "zone"], city)],
        [
            "what time is it in {0}",
            "time in {0}",
            "what is the time in {0}",
            "tell me the time in {0}",
            "how late is it in {0}",
            "current time in {0}",
        ],
        ["which time do they have in {0}", "look up the time in {0}"],
        lambda draw: {"time": f"{draw.number(0, 23):02}:{draw.number(0, 59):02}"},
        lambda result, args: f"It is {result['time']} in {args[0]}.",
    ),
    "calculate": (
        ["calculate", "calculator", "math", "evaluate", "compute", "calc"],
        ["Calculate an expression", "Does arithmetic", "Evaluates a formula"],
        [
            (
                ["expression", "formula", "input", "query"],
                lambda draw: f"{draw.number(11, 999)} {draw.one('+-*/')} {draw.number(11, 999)}",
            )
        ],
        ["what is {0}", "calculate {0}", "how much is {0}", "compute {0}", "{0}", "what's {0}"],
        ["please work out {0}", "give me the result of {0}"],
        lambda draw: {"result": draw.number(1, 9999)},
        lambda result, args: f"{args[0]} = {result['result']}",
    ),
    "search": (
        ["search", "web_search", "search_web", "find", "lookup", "google"],
        ["Search the web", "Finds pages about a topic", "Web search"],
        [(["query", "text", "q", "term"], topic)],
        ["search for {0}", "search the web for {0}", "look up {0}", "find pages about {0}", "search {0}", "google {0}"],
        ["do a web search for {0}", "find something on {0}"],
        lambda draw: {"results": draw.number(0, 90)},
        lambda result, args: f"I found {result['results']} pages about {args[0]}.",
    ),
    "mail": (
        ["send_email", "send_mail", "email", "sendEmail", "mail", "write_mail"],
        ["Send an email", "Sends a mail to somebody", "Email a person"],
        [(["to", "recipient", "person"], person), (["subject", "title", "about"], lambda draw: draw.one(SUBJECTS))],
        [
            "send an email to {0} about the {1}",
            "email {0} about the {1}",
            "write {0} a mail about the {1}",
            "send {0} an email about the {1}",
            "mail {0} about the {1}",
        ],
        ["let {0} know by email about the {1}"],
        lambda draw: {"sent": True},
        lambda result, args: f"The mail to {args[0]} is sent.",
    ),
    "convert": (
        ["convert_currency", "currency", "exchange", "convert", "convertCurrency", "exchange_rate"],
        ["Convert money", "Converts an amount between currencies", "Currency conversion"],
        [
            (["amount", "value"], lambda draw: draw.number(1, 900)),
            (["from", "source", "base"], lambda draw: draw.one(CODES)),
            (["to", "target"], lambda draw: draw.one(CODES)),
        ],
        [
            "convert {0} {1} to {2}",
            "how much is {0} {1} in {2}",
            "{0} {1} in {2}",
            "change {0} {1} into {2}",
            "what is {0} {1} in {2}",
        ],
        ["exchange {0} {1} for {2}"],
        lambda draw: {"amount": draw.number(1, 2000)},
        lambda result, args: f"{args[0]} {args[1]} is {result['amount']} {args[2]}.",
    ),
    "timer": (
        ["set_timer", "timer", "start_timer", "setTimer", "countdown"],
        ["Set a timer", "Starts a timer", "Timer in minutes"],
        [(["minutes", "duration", "time"], lambda draw: draw.number(1, 90))],
        [
            "set a timer for {0} minutes",
            "timer {0} minutes",
            "start a timer of {0} minutes",
            "wake me in {0} minutes",
            "set the timer to {0} minutes",
        ],
        ["I need a timer for {0} minutes"],
        lambda draw: {"ok": True},
        lambda result, args: f"The timer is set to {args[0]} minutes.",
    ),
    "light": (
        ["set_light", "light", "switch_light", "lights", "toggle_light"],
        ["Switch a light", "Turns a light on or off", "Light control"],
        [
            (["room", "place", "where"], lambda draw: draw.one(ROOMS)),
            (["state", "power", "mode"], lambda draw: draw.one(["on", "off"])),
        ],
        [
            "turn {1} the light in the {0}",
            "switch {1} the {0} light",
            "turn the {0} light {1}",
            "light {1} in the {0}",
            "{0} light {1}",
        ],
        ["put the {0} light {1}"],
        lambda draw: {"ok": True},
        lambda result, args: f"The {args[0]} light is {args[1]}.",
    ),
    "music": (
        ["play_music", "play", "play_song", "music", "playSong", "start_music"],
        ["Play a song", "Plays music", "Music player"],
        [(["song", "title", "track"], lambda draw: draw.one(SONGS))],
        ["play {0}", "play the song {0}", "I want to hear {0}", "put on {0}", "start {0}", "play {0} for me"],
        ["let me hear the song {0}"],
        lambda draw: {"playing": True},
        lambda result, args: f"Now playing {args[0]}.",
    ),
    "list": (
        ["add_item", "add_to_list", "shopping_list", "addItem", "buy"],
        ["Add something to the shopping list", "Shopping list", "Puts an item on the list"],
        [(["item", "thing", "product", "name"], lambda draw: draw.one(ITEMS))],
        [
            "add {0} to the shopping list",
            "put {0} on the list",
            "add {0} to my list",
            "we need {0}, put it on the list",
            "write {0} on the shopping list",
        ],
        ["I am out of {0}, note it on the list"],
        lambda draw: {"ok": True},
        lambda result, args: f"{args[0][:1].upper() + args[0][1:]} is on the list.",
    ),
}
VERBS = "get find fetch read open start stop set add make check show run load save send call pick use ask".split()


def random_name(draw):
    verb, noun = draw.one(VERBS), draw.word().lower().replace("'", "")
    more = "_" + draw.word().lower() if draw.chance(0.3) else ""
    return draw.one([f"{verb}_{noun}{more}", f"{verb}{noun.capitalize()}", f"{noun}_{verb}", f"{noun}{more}"])


def make_tool(draw, family):
    """A tool as the system turn shows it: name, argument names, description."""
    names, descriptions, arguments = FAMILIES[family][:3]
    strange = draw.chance((1.0 if draw.chance(0.4) else 0.35) if draw.held_out else 0.5)
    name = random_name(draw) if strange else draw.one(names)
    keys = []
    for spellings, _ in arguments:
        key = draw.word().lower() if strange and draw.chance(0.25) else draw.one(spellings)
        keys.append(key if key not in keys else spellings[0])
    return name, keys, draw.one(descriptions), strange


def line(tool):
    return f"- {tool[0]}({', '.join(tool[1])}): {tool[2]}"


def system(draw, tools, prompt):
    return (prompt + "\n" if prompt else "") + "Tools:\n" + "\n".join(line(tool) for tool in tools)


def call(tool, values):
    return f'<tool_call>{json.dumps({"name": tool[0], "arguments": dict(zip(tool[1], values))}, ensure_ascii=False)}</tool_call>'


def choose(draw, wanted=None):
    """One to three tools of different families, the wanted one among them, with different names."""
    families = draw.some(
        [f for f in FAMILIES if f != wanted], draw.rng.choices([1, 2, 3], [45, 35, 20])[0] - (wanted is not None)
    )
    if wanted:
        families.insert(draw.number(0, len(families)), wanted)
    made, used = [], set()
    for family in families:
        tool = make_tool(draw, family)
        while tool[0] in used:
            tool = make_tool(draw, family)
        used.add(tool[0])
        made.append(tool)
    return families, made


def tool_call(draw, prompt):
    """A fitting question: the call, and in half of the samples the result and the answer."""
    family = draw.one(list(FAMILIES))
    families, tools = choose(draw, family)
    tool = tools[families.index(family)]
    _, _, arguments, trained, held_out, result, answer = FAMILIES[family]
    values = [value(draw) for _, value in arguments]
    keep = wrap(draw.rng, draw.pattern(trained, held_out).format(*values), draw.held_out, keep=True)
    turns = [("system", system(draw, tools, prompt)), ("user", keep), ("assistant", call(tool, values))]
    if draw.chance(0.45):
        found = result(draw)
        turns += [("tool", json.dumps(found)), ("assistant", answer(found, values))]
    return turns, "tool-strange" if tool[3] else "tool-known"


def not_fitting(draw, prompt, question, answer):
    """Tools are offered but the question is not for them."""
    _, tools = choose(draw)
    return [("system", system(draw, tools, prompt)), ("user", question), ("assistant", answer)]
