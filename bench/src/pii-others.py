"""Runs a tool for private text on texts: `python3 pii-others.py presidio|detect-secrets < texts.json`.

Reads a JSON list of texts. Prints {"version", "found"}: for each text the ranges that the tool reports, in UTF-16 units.
"""
import json
import logging
import os
import sys
import tempfile
from importlib.metadata import version

logging.disable(logging.CRITICAL)

# Kinds that the sentences do not label.
UNLABELLED = {"PERSON", "LOCATION", "NRP", "ORGANIZATION", "DATE_TIME", "URL"}


def units(text):
    """The number of UTF-16 units before each character."""
    offsets = [0]
    for character in text:
        offsets.append(offsets[-1] + (2 if ord(character) > 0xFFFF else 1))
    return offsets


def run_presidio(texts):
    import spacy
    from presidio_analyzer import AnalyzerEngine
    from presidio_analyzer.nlp_engine import SpacyNlpEngine

    class Words(SpacyNlpEngine):
        """Cuts texts into words, without a model of names, which no label of the sentences needs."""

        def __init__(self):
            super().__init__(models=[])
            self.nlp = {"en": spacy.blank("en")}

        def load(self):
            pass

    engine = AnalyzerEngine(nlp_engine=Words(), supported_languages=["en"])
    found = []
    for text in texts:
        at = units(text)
        hits = engine.analyze(text, language="en")
        found.append([[at[hit.start], at[hit.end]] for hit in hits if hit.entity_type not in UNLABELLED])
    return {"version": version("presidio-analyzer"), "found": found}


def run_detect_secrets(texts):
    from detect_secrets import SecretsCollection
    from detect_secrets.settings import default_settings

    found = []
    with default_settings(), tempfile.TemporaryDirectory() as folder:
        for index, text in enumerate(texts):
            at = units(text)
            path = os.path.join(folder, f"{index}.txt")
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            secrets = SecretsCollection()
            secrets.scan_file(path)
            values = {secret.secret_value for _, secret in secrets}
            ranges = []
            for value in filter(None, values):
                start = text.find(value)
                while start != -1:
                    ranges.append([at[start], at[start + len(value)]])
                    start = text.find(value, start + len(value))
            found.append(ranges)
    return {"version": version("detect-secrets"), "found": found}


RUNS = {"presidio": run_presidio, "detect-secrets": run_detect_secrets}
print(json.dumps(RUNS[sys.argv[1]](json.load(sys.stdin))))
