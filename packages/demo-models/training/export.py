"""Turns a checkpoint into a GGUF file: python export.py --checkpoint DIR/latest.pt --tokenizer DIR/tokenizer.json --out demo.gguf"""

import argparse
import hashlib
import json
from pathlib import Path

import torch
from tokenizers import Tokenizer

from gguf import ARRAY, BOOL, F32, I32, STRING, U32, write
from model import Model, Shape
from tokenizer import BEGIN, SPECIAL, TURN_END

CONTROL, NORMAL, USER_DEFINED = 3, 1, 4
FILE_TYPES = {"F32": 0, "F16": 1, "Q8_0": 7}
MEAN_POOLING = 1


def vocabulary(tokenizer):
    """Tokens by id, their types, and the merges."""
    bpe = json.loads(tokenizer.to_str())["model"]
    tokens = [token for token, _ in sorted(bpe["vocab"].items(), key=lambda item: item[1])]
    # the marks of a tool call stay visible in the answer: a server finds calls by them
    types = [(USER_DEFINED if "tool_call" in token else CONTROL) if token in SPECIAL else NORMAL for token in tokens]
    merges = [merge if isinstance(merge, str) else " ".join(merge) for merge in bpe["merges"]]
    return tokens, types, merges


def tokenizer_keys(tokenizer):
    tokens, types, merges = vocabulary(tokenizer)
    return [
        ("tokenizer.ggml.model", STRING, "gpt2"),
        ("tokenizer.ggml.pre", STRING, "qwen2"),
        ("tokenizer.ggml.tokens", (ARRAY, STRING), tokens),
        ("tokenizer.ggml.token_type", (ARRAY, I32), types),
        ("tokenizer.ggml.merges", (ARRAY, STRING), merges),
        ("tokenizer.ggml.bos_token_id", U32, BEGIN),
        ("tokenizer.ggml.eos_token_id", U32, TURN_END),
        ("tokenizer.ggml.eot_token_id", U32, TURN_END),
        ("tokenizer.ggml.padding_token_id", U32, BEGIN),
        ("tokenizer.ggml.add_bos_token", BOOL, False),
        ("tokenizer.ggml.add_eos_token", BOOL, False),
    ]


def keys(shape, matrix_type, tokenizer, template):
    return [
        ("general.architecture", STRING, "llama"),
        ("general.name", STRING, "demo"),
        ("general.license", STRING, "mit"),
        ("general.file_type", U32, FILE_TYPES[matrix_type]),
        ("general.quantization_version", U32, 2),
        ("llama.context_length", U32, shape.context),
        ("llama.embedding_length", U32, shape.dim),
        ("llama.block_count", U32, shape.layers),
        ("llama.feed_forward_length", U32, shape.hidden),
        ("llama.attention.head_count", U32, shape.heads),
        ("llama.attention.head_count_kv", U32, shape.kv_heads),
        ("llama.attention.layer_norm_rms_epsilon", F32, shape.norm_eps),
        ("llama.rope.dimension_count", U32, shape.head_size),
        ("llama.rope.freq_base", F32, shape.rope_base),
        ("llama.vocab_size", U32, shape.vocabulary),
        ("llama.pooling_type", U32, MEAN_POOLING),
        *tokenizer_keys(tokenizer),
        ("tokenizer.chat_template", STRING, template),
    ]


def tensors(model):
    named = [("token_embd.weight", model.token_embd)]
    for index, block in enumerate(model.blocks):
        named += [(f"blk.{index}.{name}.weight", parameter) for name, parameter in block.named_parameters()]
    named.append(("output_norm.weight", model.output_norm))
    return [(name, parameter.detach().numpy()) for name, parameter in named]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--checkpoint", type=Path, required=True)
    parser.add_argument("--tokenizer", type=Path, required=True)
    parser.add_argument("--out", type=Path, required=True)
    parser.add_argument("--type", choices=list(FILE_TYPES), default="Q8_0")
    options = parser.parse_args()
    saved = torch.load(options.checkpoint, weights_only=True)
    model = Model(Shape())
    model.load_state_dict(saved["model"])
    template = (Path(__file__).parent / "chat-template.jinja").read_text("utf-8").strip()
    tokenizer = Tokenizer.from_file(str(options.tokenizer))
    write(options.out, keys(model.shape, options.type, tokenizer, template), tensors(model), options.type)
    data = options.out.read_bytes()
    print(
        f"step {saved['state']['step']}, {saved['state']['tokens']} tokens, {saved['state']['seconds']:.0f} CPU seconds"
    )
    print(f"{len(data)} bytes, sha256 {hashlib.sha256(data).hexdigest()}")


if __name__ == "__main__":
    main()
