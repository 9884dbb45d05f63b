"""The tokenizer: byte-level BPE, digits one by one, and what the pieces of its vocabulary look like."""

import random

from tokenizers import Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from sample import draw_document

SIZE = 16_384
# Documents of the vocabulary that a program draws, and those of the corpora.
DOCUMENTS, CORPUS_DOCUMENTS, NEGATIVE_DOCUMENTS = 40_000, 40_000, 8_000
# Mostly made-up names, so that the vocabulary holds few whole names: the model must read a name from its parts.
MADE_UP = 0.85
WORDS = r" ?[\p{L}\p{M}]+| ?\p{N}| ?[^\s\p{L}\p{M}\p{N}]+|\s*[\r\n]+|\s+(?!\S)|\s+"
PADDING = "<pad>"
SHAPES = 16


def vocabulary_texts(rng, corpora):
    for _ in range(DOCUMENTS):
        yield draw_document(rng, made_up=MADE_UP)[0]
    for kind, count in (("train", CORPUS_DOCUMENTS), ("negative", NEGATIVE_DOCUMENTS)) if corpora else ():
        for _ in range(count):
            yield corpora.draw(rng, kind)[0]


def train_tokenizer(seed, corpora=None):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [pre_tokenizers.Split(Regex(WORDS), "isolated"), pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False)]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=SIZE,
        special_tokens=[PADDING],
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        min_frequency=3,
        show_progress=False,
    )
    rng = random.Random(seed)
    tokenizer.train_from_iterator(vocabulary_texts(rng, corpora), trainer)
    return tokenizer


def describe_pieces(tokenizer):
    """For every piece the number of its form in small letters, and its shape: case, digit, mark, and a space before."""
    keys, lowers, shapes = {}, [], []
    for token in range(tokenizer.get_vocab_size()):
        text = tokenizer.decode([token], skip_special_tokens=False)
        is_part = "\ufffd" in text
        key = tokenizer.id_to_token(token) if is_part else text.strip(" ").lower()
        lowers.append(keys.setdefault(key, len(keys)))
        shapes.append(0 if is_part else 2 * case_of(text.strip(" ")) + text.startswith(" "))
    return lowers, shapes


def case_of(text):
    if text == "" or text.isspace():
        return 1
    if text.isdigit():
        return 2
    if not any(letter.isalpha() for letter in text):
        return 3
    if text == text.lower():
        return 4
    if text[0].isupper() and text[1:] == text[1:].lower():
        return 5
    return 6 if text == text.upper() else 7
