"""Random choices of one sample, from the training half or the held-out half of every list."""

import random
import zlib

from .files import words

NAMES = """Ada Adam Agnes Alan Albert Alex Alice Amara Amir Amy Ana Andrea Andy Anna Anton Aria Arthur Astrid Ava Aya Ben Bella Bianca
Bill Bob Boris Bruno Carl Carla Carlos Carmen Chen Chloe Chris Clara Claire Colin Cora Dan Dana Daniel Daria David Dean Diana Diego
Dora Ed Eddie Edith Elena Eli Elias Ella Ellen Elsa Emil Emily Emma Eric Erik Eva Evan Farah Fatima Felix Finn Fiona Frank Fred Frida
Gabriel George Gina Grace Greta Gus Hana Hank Hannah Hans Harry Hassan Hazel Heidi Helen Henry Hugo Ian Ibrahim Ida Igor Ines Ingrid
Iris Isaac Ivan Ivy Jack Jacob James Jan Jane Jasmin Jean Jeff Jenny Jim Joan Joe Johan John Jonas Jorge Jose Josh Juan Judy Julia
Julian June Kai Karim Karl Kate Keiko Ken Kim Kira Kurt Lara Laura Lea Lee Leila Lena Leo Leon Lili Lina Linda Lisa Liz Lou Louis
Lucas Lucy Luis Luke Luna Mae Maja Malik Marco Maria Marie Mario Mark Marta Martin Mary Mateo Matt Max Maya Mei Mia Mike Mila Milan
Mina Miriam Mohamed Mona Nadia Nancy Naomi Nate Ned Nick Nico Nina Noah Noel Nora Olaf Olga Oliver Omar Oscar Otto Pablo Paul Paula
Pedro Penny Pete Peter Petra Phil Pia Pierre Priya Rahul Ralph Ravi Ray Rita Rob Robert Robin Rosa Rose Rudi Ruth Ryan Sadie Sally
Sam Samir Sandra Sara Sarah Scott Sean Selma Simon Sofia Sonja Stan Stella Steve Sue Susan Sven Tamara Tara Ted Tess Theo Tim Tina
Tobias Tom Tomas Tony Tracy Uma Ursula Vera Vic Victor Viola Wendy Will Xena Yann Yara Yusuf Yuki Zara Zoe""".split()
PLACES = """Amsterdam Athens Bangkok Barcelona Basel Belfast Bergen Berlin Bern Bonn Boston Bremen Brussels Cairo Chicago Cologne
Copenhagen Dallas Delhi Denver Dresden Dublin Essen Florence Frankfurt Geneva Ghent Glasgow Graz Hamburg Hanoi Helsinki Houston
Istanbul Jakarta Kyiv Krakow Lagos Leeds Leipzig Lima Linz Lisbon Liverpool London Lyon Madrid Malmo Manila Melbourne Miami Milan
Montreal Moscow Munich Nairobi Naples Nice Oslo Oxford Paris Porto Prague Riga Rome Rotterdam Salzburg Seattle Seoul Seville
Sofia Stockholm Stuttgart Sydney Tallinn Tokyo Toronto Turin Utrecht Valencia Venice Vienna Vilnius Warsaw York Zagreb Zurich""".split()
START = "b br c ch d dr f fl g gr h j k kl l m n p pl qu r s sh st t tr v w y z".split()
CORE = "a e i o u ai ea oo ou ie".split()
CLOSE = ["", "", "", "n", "r", "l", "m", "s", "t", "x", "ck", "nd", "rt", "th"]


def is_held_out(text):
    """A tenth of every list is kept for the evaluation, whatever the order of the list."""
    return zlib.crc32(text.lower().encode()) % 10 == 0


class Draw:
    """One sample's source of choices. held_out: only what training never sees, where there is such a half."""

    def __init__(self, seed, held_out=False):
        self.rng = random.Random(seed)
        self.held_out = held_out

    def chance(self, probability):
        return self.rng.random() < probability

    def one(self, items):
        return items[self.rng.randrange(len(items))]

    def some(self, items, count):
        return self.rng.sample(items, count)

    def number(self, low, high):
        return self.rng.randint(low, high)

    def of(self, items):
        """One item of the half of a list that this draw may see."""
        for _ in range(200):
            item = self.one(items)
            if is_held_out(item) == self.held_out:
                return item
        return item

    def pattern(self, trained, held_out):
        return self.one(held_out if self.held_out else trained)

    def word(self):
        """A word that only fills a slot: from the list or made up."""
        return self.of(words()) if self.chance(0.8) else self.made_up()

    def made_up(self):
        syllables = self.number(1, 3) if self.chance(0.9) else 4
        return "".join(self.one(START) + self.one(CORE) + self.one(CLOSE) for _ in range(syllables))

    def name(self):
        if self.chance(0.35):
            return self.made_up().capitalize()
        return self.of(NAMES)

    def place(self):
        if self.chance(0.25):
            return self.made_up().capitalize()
        return self.of(PLACES)

    def words(self, low, high):
        return " ".join(self.word() for _ in range(self.number(low, high)))
