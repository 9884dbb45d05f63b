"""The byte-level BPE tokenizer of the demo model: python tokenizer.py tokenizer.json"""

import sys

from tokenizers import AddedToken, Regex, Tokenizer, decoders, models, pre_tokenizers, trainers

from svc_demo.mix import sample

# The pre-tokenizer that llama.cpp calls "qwen2": it splits digits one by one.
PATTERN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*|\s*[\r\n]+|\s+(?!\S)|\s+"
)
SPECIAL = ["<|endoftext|>", "<|im_start|>", "<|im_end|>", "<tool_call>", "</tool_call>"]
BEGIN, TURN_START, TURN_END, CALL_START, CALL_END = range(5)
VOCABULARY = 2048
FIRST_SEED = 1_000_000_000  # far from the seeds of training


def chat_texts(samples=60_000):
    """What the tokenizer of the chat model is trained on."""
    for i in range(samples):
        yield "\n".join(text for _, text in sample(FIRST_SEED + i)[1])


def train(texts=None, vocabulary=VOCABULARY):
    tokenizer = Tokenizer(models.BPE())
    tokenizer.pre_tokenizer = pre_tokenizers.Sequence(
        [
            pre_tokenizers.Split(Regex(PATTERN), "isolated"),
            pre_tokenizers.ByteLevel(add_prefix_space=False, use_regex=False),
        ]
    )
    tokenizer.decoder = decoders.ByteLevel()
    trainer = trainers.BpeTrainer(
        vocab_size=vocabulary,
        min_frequency=3,
        show_progress=False,
        initial_alphabet=sorted(pre_tokenizers.ByteLevel.alphabet()),
        special_tokens=[AddedToken(token, normalized=False, special=True) for token in SPECIAL],
    )
    tokenizer.train_from_iterator(chat_texts() if texts is None else texts, trainer)
    return tokenizer


def encode_turns(tokenizer, turns):
    """Token ids of a conversation and, for each, whether it belongs to an answer."""
    ids, answer = [], []
    for role, text in turns:
        if role == "assistant":
            head, body = tokenizer.encode("assistant\n").ids, tokenizer.encode(text).ids
        else:
            head, body = tokenizer.encode(f"{role}\n{text}").ids, []
        ids += [TURN_START, *head, *body, TURN_END]
        answer += [False] * (1 + len(head)) + [role == "assistant"] * (len(body) + 1)
        end = tokenizer.encode("\n").ids
        ids += end
        answer += [False] * len(end)
    return ids, answer


if __name__ == "__main__":
    train().save(sys.argv[1])
