"""Writes the held-out texts: python evaluation.py > ../../evaluation/ner/texts.jsonl

Their sentences, formats, names and places stand in the folder of the evaluation, and in no file of the training.
"""

import json
import random

from lists import HELD_OUT, LANGUAGES, lists
from sample import fill_document, join
from slots import Filler

SEED, TEXTS = 11, 150
# The share of texts without private text.
PLAIN_SHARE = 0.2


def main():
    for language in LANGUAGES:
        rng = random.Random(f"{SEED} {language}")
        for _ in range(TEXTS):
            formats = lists(HELD_OUT, "formats")
            template = rng.choice(formats["plain" if rng.random() < PLAIN_SHARE else "templates"])
            text, spans = join(fill_document(rng, Filler(rng, language, HELD_OUT, made_up=0), template))
            line = {"language": language, "text": text}
            line["spans"] = [{"start": start, "end": end, "group": group} for start, end, group in spans]
            print(json.dumps(line, ensure_ascii=False))


if __name__ == "__main__":
    main()
