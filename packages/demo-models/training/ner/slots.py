"""Fills the slots of a template: parts of text, each with its group or none."""

import re
import unicodedata
from functools import cache
from pathlib import Path

from lists import lists
from made_up import chain

SLOT = re.compile(r"\{([A-Za-z0-9_]+)\}")
CHOICE = re.compile(r"\[([^\[\]\n]*\|[^\[\]\n]*)\]")
ARTICLE = re.compile(r"^(?:(?:the|die|der|den|das|la|le|les|el|los|las|il|lo|gli|i) |l')(?=\S)")
GROUPS = {"per": "PER", "full": "PER", "first": "PER", "last": "PER", "city": "LOC", "country": "LOC", "loc": "LOC"}
GROUPS |= {"org": "ORG", "addr": "STREET_ADDRESS", "addr1": "STREET_ADDRESS", "street_loc": "STREET_ADDRESS", "date": "DATE"}
LETTERS = "abcdefghijklmnopqrstuvwxyz"
COMMON_WORDS = Path(__file__).parents[1] / "words.txt"
SEPARATORS = (": ", ": ", " : ", " = ", "=", " -> ", " => ", " - ", "\t", ":", " | ", " .... ")
DELIMITERS = ("|", ";", ",", "\t", " | ", " / ", " - ", ", ", "::")
STATES = "CA TX NY FL OH IL WA OR MI PA GA NC MI RM TO NA FI BO VR".split()
WORLD_SHARE, FOREIGN_SHARE = 0.12, 0.10
# The share of made-up names of which the letters do not tell whether they are a person or a place.
BLENDED_SHARE = 0.3
NAME_SECTIONS = ("first", "last", "cities", "places")
# The share of places and last names of several words, or of a word and an ending, by the forms of their language.
FORMED_SHARE = 0.1


@cache
def sentence_words(folder, language):
    """The words of the sentences without private text, the common English words among the English ones."""
    words = re.findall(r"[^\W\d_]+", " ".join(SLOT.sub(" ", line) for line in lists(folder, language)["plain"]))
    common = COMMON_WORDS.read_text("utf-8").split() if language == "en" else []
    return tuple(words + [word for word in common if word.isalpha() and word.islower()])


class Filler:
    """Draws the values of one language. `made_up` is the share of names made up of letters."""

    def __init__(self, rng, language, folder, made_up=0.45):
        self.rng, self.language, self.folder, self.made_up = rng, language, folder, made_up
        self.own = lists(folder, language)
        # of the whole document
        self.separator, self.delimiter = rng.choice(SEPARATORS), rng.choice(DELIMITERS)

    # Names

    def draw(self, section, foreign=True):
        """A value of a section: of the language, of another one, or made up."""
        sections = self.own
        chance = self.rng.random()
        if foreign and chance < WORLD_SHARE:
            sections = lists(self.folder, "world")
        elif foreign and chance < WORLD_SHARE + FOREIGN_SHARE:
            sections = lists(self.folder, self.rng.choice(("en", "de", "fr", "es", "it")))
        values = sections[section]
        if self.rng.random() < self.made_up:
            if self.rng.random() < BLENDED_SHARE:
                values = [name for kind in NAME_SECTIONS for name in sections[kind]]
            return chain(tuple(values)).draw(self.rng).title()
        return self.rng.choice(values)

    def first(self):
        return self.draw("first")

    def is_formed(self, section):
        return section in self.own and self.rng.random() < FORMED_SHARE

    def last(self):
        if self.is_formed("last-forms"):
            return self.form("last-forms")
        name = self.draw("last")
        return f"{name}-{self.draw('last')}" if self.rng.random() < 0.05 else name

    def per(self):
        chance = self.rng.random()
        first, last = self.first(), self.last()
        if self.language == "es" and self.rng.random() < 0.4:
            last = f"{last} {self.last()}"
        if chance < 0.06:
            return f"{first[0]}. {last}"
        if chance < 0.11:
            return f"{first} {self.rng.choice(LETTERS).upper()}. {last}"
        if chance < 0.17:
            return f"{first} {self.first()} {last}"
        if chance < 0.22:
            return f"{first} {last.upper()}"
        if chance < 0.26:
            return f"{last} {first}"
        return first if chance < 0.31 else f"{first} {last}"

    def full(self):
        return f"{self.first()} {self.last()}"

    def city(self):
        return self.form("place-forms") if self.is_formed("place-forms") else self.draw("cities")

    def town(self):
        """A city of one word or as it stands in the list, for the forms of places."""
        return self.draw("cities", foreign=False)

    def ending(self):
        """The same in small letters, as the second half of a word."""
        return chain(tuple(self.own["cities"])).draw(self.rng, 3, 8)

    def surname(self):
        """A last name for the forms of last names."""
        return self.draw("last", foreign=False)

    def country(self):
        return self.rng.choice(self.own["places"] if self.rng.random() < 0.8 else lists(self.folder, "world")["places"])

    def loc(self):
        return self.city() if self.rng.random() < 0.5 else self.draw("places")

    def madeup(self):
        return chain(tuple(self.own["last"] + self.own["cities"])).draw(self.rng, 4, 9).title()

    def acronym(self):
        return "".join(self.rng.choice(LETTERS) for _ in range(self.rng.randint(2, 5))).upper()

    def industry(self):
        return self.rng.choice(self.own["industries"])

    def org(self):
        return self.rng.choice(self.own["orgs"]) if self.rng.random() < 0.3 else self.form("org-forms")

    def street(self):
        return self.rng.choice(self.own["streets"]) if self.rng.random() < 0.4 else self.form("street-forms")

    street_loc = street

    def addr(self):
        return self.form("addresses")

    def addr1(self):
        return self.addr().replace("\n", ", ")

    def form(self, section):
        """A form of a section with its slots filled, as one text."""
        return "".join(text for text, _ in self.fill(self.rng.choice(self.own[section])))

    # Dates and numbers

    def date(self):
        return self.form("dates")

    def d(self):
        return str(self.rng.randint(1, 31))

    def dd(self):
        return f"{self.rng.randint(1, 31):02}"

    def dth(self):
        day = self.rng.randint(1, 31)
        end = {1: "st", 2: "nd", 3: "rd"}.get(day % 10, "th")
        return f"{day}{'th' if 10 < day < 14 else end}"

    def m(self):
        return str(self.rng.randint(1, 12))

    def mm(self):
        return f"{self.rng.randint(1, 12):02}"

    def y(self):
        return str(self.rng.randint(1940, 2030))

    def yy(self):
        return f"{self.rng.randint(0, 99):02}"

    def month(self):
        return self.rng.choice(self.own["months"])

    def mon(self):
        return self.rng.choice(self.own["short-months"])

    def day(self):
        return self.rng.choice(self.own["days"])

    def n1(self):
        return str(self.rng.randint(2, 9))

    def n2(self):
        return str(self.rng.randint(10, 99))

    def n3(self):
        return str(self.rng.randint(100, 999))

    def n4(self):
        return str(self.rng.randint(1000, 99999))

    def plz(self):
        return f"{self.rng.randint(1000, 99999):05}"

    zip = plz

    def pc(self):
        head = "".join(self.rng.choice(LETTERS).upper() for _ in range(self.rng.randint(1, 2)))
        tail = "".join(self.rng.choice(LETTERS).upper() for _ in range(2))
        return f"{head}{self.rng.randint(1, 28)} {self.rng.randint(1, 9)}{tail}"

    def abc(self):
        return self.rng.choice("abcdABCD")

    def state(self):
        return self.rng.choice(STATES)

    def time(self):
        return f"{self.rng.randint(0, 23):02}:{self.rng.randint(0, 59):02}"

    def stamp(self):
        day = f"{self.rng.randint(2015, 2030)}-{self.mm()}-{self.dd()}"
        return f"{day}T{self.time()}:{self.rng.randint(0, 59):02}Z"

    def amount(self):
        value = f"{self.rng.randint(1, 9999)}{self.rng.choice('.,')}{self.rng.randint(0, 99):02}"
        return self.rng.choice(("€ {}", "{} €", "${}", "£{}", "{} EUR", "{} USD")).format(value)

    # Ids, addresses of machines, code

    def phone(self):
        digits = "".join(str(self.rng.randint(0, 9)) for _ in range(9))
        return self.rng.choice(("+{0[0]}{0[1]} {1} {2}", "0{1}-{2}", "({1}) {2}", "0{1} {2}")).format(
            digits, digits[2:5], digits[5:]
        )

    def word(self):
        """A made-up word in small ASCII letters."""
        word = chain(tuple(lists(self.folder, "en")["nouns"])).draw(self.rng, 3, 9)
        return unicodedata.normalize("NFD", word).encode("ascii", "ignore").decode()

    def email(self):
        user = self.word() if self.rng.random() < 0.4 else f"{self.first()}.{self.last()}".lower().replace(" ", "")
        return f"{user}@{self.word()}.{self.rng.choice(('com', 'org', 'example', 'de', 'fr', 'es', 'it'))}"

    def url(self):
        return f"https://{self.word()}.{self.rng.choice(('com', 'org', 'example', 'net'))}/{self.kebab()}"

    def id(self):
        kind = self.rng.randint(0, 3)
        if kind == 0:
            return f"{self.acronym()}-{self.n4()}"
        if kind == 1:
            return self.hex()
        if kind == 2:
            return "".join(self.rng.choice(LETTERS.upper() + "0123456789") for _ in range(self.rng.randint(6, 14)))
        return self.n4() + self.n4()

    def hex(self):
        return f"{self.rng.getrandbits(64):016x}"[: self.rng.randint(7, 16)]

    def uuid(self):
        digits = f"{self.rng.getrandbits(128):032x}"
        return "-".join((digits[:8], digits[8:12], digits[12:16], digits[16:20], digits[20:]))

    def ip(self):
        return ".".join(str(self.rng.randint(1, 254)) for _ in range(4))

    def ver(self):
        return ".".join(str(self.rng.randint(0, 30)) for _ in range(3))

    def identifier(self):
        nouns = lists(self.folder, "en")["nouns"]
        return [self.rng.choice(nouns) if self.rng.random() < 0.6 else self.word() for _ in range(self.rng.randint(1, 3))]

    def snake(self):
        return "_".join(self.identifier())

    def SNAKE(self):
        return self.snake().upper()

    def kebab(self):
        return "-".join(self.identifier())

    def Pascal(self):
        return "".join(word.title() for word in self.identifier())

    def camel(self):
        pascal = self.Pascal()
        return pascal[0].lower() + pascal[1:]

    def path(self):
        return f"/{self.word()}/{self.word()}/{self.snake()}.{self.rng.choice(('ts', 'py', 'go', 'json', 'log'))}"

    # Words

    def sep(self):
        return self.separator

    def D(self):
        return self.delimiter

    def composed(self):
        """A sentence of a subject, a verb, and where and when, in one of their orders."""
        pick = lambda section: self.rng.choice(self.own[section])  # noqa: E731
        words = [pick("subjects"), pick("verbs")]
        words += [pick("where") for _ in range(self.rng.choice((0, 1, 1, 1, 2)))]
        if self.rng.random() < 0.3:
            words.insert(self.rng.randint(1, len(words)), pick("who"))
        if self.rng.random() < 0.15:
            words = words[1:]
        chance = self.rng.random()
        if chance < 0.4:
            words.append(pick("when"))
        elif chance < 0.5:
            first = pick("when")
            words.insert(0, first[0].upper() + first[1:] + self.rng.choice((",", "")))
        elif chance < 0.65:
            words.insert(0, pick("asides"))
        return self.fill(" ".join(words) + self.rng.choice((".", ".", ".", "!", "?", "", "...")))

    def noun(self):
        nouns = self.own["nouns"]
        if self.made_up > 0 and self.rng.random() < 0.3:
            word = chain(tuple(nouns)).draw(self.rng, 3, 12)
            return word.title() if self.language == "de" else word
        return self.rng.choice(nouns)

    def Noun(self):
        return self.noun().title()

    def salad(self):
        """Words in no order, so that an unknown word at the beginning of a sentence, or a German noun, is no name."""
        words = sentence_words(self.folder, self.language)
        drawn = []
        for _ in range(self.rng.randint(3, 14)):
            word = chain(words).draw(self.rng, 2, 12) if self.rng.random() < 0.25 else self.rng.choice(words)
            is_noun = self.language == "de" and self.rng.random() < 0.3
            drawn.append(word.title() if is_noun else word.lower())
            if self.rng.random() < 0.08:
                drawn[-1] += self.rng.choice((",", ";", ":"))
        chance = self.rng.random()
        if chance < 0.12:
            return " ".join(drawn).title()
        drawn[0] = drawn[0][0].upper() + drawn[0][1:]
        return " ".join(drawn) + self.rng.choice((".", ".", ".", "!", "?", ""))

    def job(self):
        return self.rng.choice(self.own["jobs"])

    def title(self):
        return self.rng.choice(self.own["titles"])

    def state_word(self):
        return self.rng.choice(self.own["status"])

    def label(self, key):
        return self.rng.choice(self.own["labels"][key])

    def key(self, name):
        """The label as a key of JSON or YAML."""
        plain = unicodedata.normalize("NFD", self.label(name).lower()).encode("ascii", "ignore").decode()
        return re.sub(r"[^a-z]+", "_", plain).strip("_")

    def fill(self, template, choices=True):
        """The parts of a template as (text, group), group None for ordinary text."""
        if choices:
            template = CHOICE.sub(lambda found: self.rng.choice(found[1].split("|")), template)
        parts, done = [], 0
        for found in SLOT.finditer(template):
            parts.append((template[done : found.start()], None))
            parts += self.value(found[1])
            done = found.end()
        parts.append((template[done:], None))
        return [(text, group) for text, group in parts if text]

    def value(self, slot):
        if slot[0] == "L" and slot[1:] in self.own["labels"]:
            return [(self.label(slot[1:]), None)]
        if slot[0] == "j" and slot[1:] in self.own["labels"]:
            return [(self.key(slot[1:]), None)]
        text = getattr(self, slot)()
        group = GROUPS.get(slot)
        article = ARTICLE.match(text) if group == "LOC" else None
        if article:
            return [(article[0], None), (text[article.end() :], group)]
        return [(text, group)]
