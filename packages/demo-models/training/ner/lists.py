"""The lists of the data files: sections of values or of one template a line."""

from functools import cache
from pathlib import Path

TRAINING = Path(__file__).parent / "data"
HELD_OUT = Path(__file__).parents[2] / "evaluation" / "ner" / "data"
LANGUAGES = ("en", "de", "fr", "es", "it")
LINES = {"templates", "plain"}
SEMICOLONS = {"dates", "addresses", "org-forms", "street-forms", "place-forms", "last-forms", "labels", "subjects", "verbs", "where", "who", "when", "asides"}


def read_sections(file):
    """The sections of a file by their names. A template is a line, in which \\n is a line end."""
    sections, name = {}, None
    for line in file.read_text("utf-8").splitlines():
        if line.startswith("[") and line.endswith("]") and line[1:-1].replace("-", "").isalpha():
            name = line[1:-1]
            sections[name] = []
        elif line.strip() and name in LINES:
            sections[name].append(line.replace("\\n", "\n").replace("\\t", "\t"))
        elif line.strip():
            mark = ";" if name in SEMICOLONS else ","
            sections[name] += [item.strip().replace("\\n", "\n") for item in line.split(mark) if item.strip()]
    return sections


@cache
def lists(folder, language):
    """The sections of a language, or of `world` and `formats`."""
    sections = read_sections(folder / f"{language}.txt")
    if "labels" in sections:
        pairs = (item.split("=", 1) for item in sections["labels"])
        sections["labels"] = {key: words.split("|") for key, words in pairs}
    return sections


@cache
def held_out_names():
    """Names and places of the evaluation, in small letters: no made-up name of the training may be one of them."""
    names = set()
    for file in sorted(HELD_OUT.glob("*.txt")):
        sections = read_sections(file)
        for section in ("first", "last", "cities", "places"):
            for name in sections.get(section, []):
                names |= {name.lower(), *name.lower().split()}
    return frozenset(names)
