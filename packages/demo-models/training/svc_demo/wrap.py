"""What people put around a question: greetings, punctuation, case, typing errors."""

BEFORE = [
    "hi, ",
    "hello, ",
    "hello! ",
    "hey, ",
    "hey ",
    "hi! ",
    "please ",
    "please, ",
    "ok, ",
    "ok ",
    "so ",
    "so, ",
    "well, ",
    "good morning, ",
    "quick question: ",
    "question: ",
    "sorry, ",
    "and ",
    "now ",
    "um, ",
    "hello svc, ",
    "listen, ",
    "tell me, ",
    "by the way, ",
    "dear svc, ",
    "hi there, ",
    "good day, ",
    "good afternoon, ",
    "one more thing: ",
    "next question: ",
    "my question: ",
    "a short question: ",
    "may I ask: ",
    "let me ask: ",
    "hey model, ",
    "my friend, ",
    "okay, ",
    "thanks, ",
    "maybe you know: ",
]
AFTER = [
    " please",
    ", please",
    " thanks",
    ", thanks",
    "? thanks",
    "? Thanks!",
    " pls",
    "? please",
    ", thank you",
    "? I am new here",
    " here",
    " now",
    " if possible",
    " thank you very much",
    ", thanks a lot",
    "? can you tell me",
    "? I want to know",
    "? please help",
    " right now",
    ", ok",
    "? do you know",
    " for me",
]
BEFORE_HELD_OUT = ["excuse me, ", "good evening, ", "one question: ", "dear model, "]
AFTER_HELD_OUT = [", many thanks", "? tell me please", " if you can"]
END = ["?", "?", "?", "??", "", "", "", ".", "!", " ?", "...", "?!"]


def capital(text):
    return text[:1].upper() + text[1:]


def typo(rng, text):
    """One letter lost, doubled, swapped or replaced."""
    places = [i for i, c in enumerate(text) if c.isalpha()]
    if len(places) < 8:
        return text
    i = rng.choice(places[1:])
    kind = rng.randrange(4)
    if kind == 0:
        return text[:i] + text[i + 1 :]
    if kind == 1:
        return text[:i] + text[i] + text[i:]
    if kind == 2 and i + 1 < len(text):
        return text[:i] + text[i + 1] + text[i] + text[i + 2 :]
    return text[:i] + rng.choice("abcdefghijklmnopqrstuvwxyz") + text[i + 1 :]


def wrap(rng, text, held_out=False, keep=False):
    """A question as somebody types it. keep: letters matter, so neither case nor typing errors change."""
    plain = text
    if held_out or rng.random() < 0.2:
        text = rng.choice(BEFORE_HELD_OUT if held_out else BEFORE) + text
    if not text.endswith(("?", ".", "!")):
        if rng.random() < (0.3 if held_out else 0.1):
            text += rng.choice(AFTER_HELD_OUT if held_out else AFTER)
        else:
            text += rng.choice(END)
    if keep:
        return capital(text) if rng.random() < 0.5 else text
    chance = rng.random()
    if chance < 0.5:
        text = capital(text)
    elif chance < 0.8:
        text = text.lower()
    elif chance < 0.82:
        text = text.upper()
    if not held_out and rng.random() < 0.07 and len(plain) > 12:
        text = typo(rng, text)
    return text
