"""Words that nobody wrote down: chains of letters that follow each other in a list."""

from functools import cache

from lists import held_out_names

ORDER = 3
START, END = "^" * ORDER, "$"


class Chain:
    """Letters that follow three others in the words of a list."""

    def __init__(self, words):
        self.next = {}
        for word in words:
            padded = START + word.lower() + END
            for at in range(ORDER, len(padded)):
                self.next.setdefault(padded[at - ORDER : at], []).append(padded[at])

    def draw(self, rng, shortest=3, longest=12):
        """A word in small letters."""
        for _ in range(100):
            word = START
            while len(word) < ORDER + longest + 1:
                letter = rng.choice(self.next[word[-ORDER:]])
                if letter == END:
                    break
                word += letter
            word = word[ORDER:]
            if shortest <= len(word) <= longest and word not in held_out_names():
                return word
        return "noru"


@cache
def chain(words):
    """The chain of a tuple of words; entries of several words are left out."""
    return Chain([word for word in words if word.replace("'", "").isalpha()])
