"""The demo model: a small llama with tied embeddings, rotating neighbouring pairs as llama.cpp does."""

from dataclasses import dataclass

import torch
import torch.nn.functional as F
from torch import nn


@dataclass(frozen=True)
class Shape:
    vocabulary: int = 2048
    dim: int = 128
    layers: int = 6
    heads: int = 4
    kv_heads: int = 2
    hidden: int = 384
    context: int = 1024
    rope_base: float = 10000.0
    norm_eps: float = 1e-5

    @property
    def head_size(self):
        return self.dim // self.heads


def rotation(shape, length):
    frequency = shape.rope_base ** (-torch.arange(0, shape.head_size, 2).float() / shape.head_size)
    angle = torch.outer(torch.arange(length).float(), frequency)
    return torch.cos(angle), torch.sin(angle)


def rotate(x, cos, sin):
    """x: [batch, heads, length, head size]; pairs (2i, 2i + 1) turn together."""
    even, odd = x[..., 0::2], x[..., 1::2]
    return torch.stack((even * cos - odd * sin, even * sin + odd * cos), -1).flatten(-2)


class Block(nn.Module):
    def __init__(self, shape):
        super().__init__()
        self.shape = shape
        kv = shape.kv_heads * shape.head_size
        self.attn_norm = nn.Parameter(torch.ones(shape.dim))
        self.ffn_norm = nn.Parameter(torch.ones(shape.dim))
        for name, rows, columns in (
            ("attn_q", shape.dim, shape.dim),
            ("attn_k", kv, shape.dim),
            ("attn_v", kv, shape.dim),
            ("attn_output", shape.dim, shape.dim),
            ("ffn_gate", shape.hidden, shape.dim),
            ("ffn_up", shape.hidden, shape.dim),
            ("ffn_down", shape.dim, shape.hidden),
        ):
            scale = columns**-0.5 / (2 * shape.layers) ** 0.5 if name in ("attn_output", "ffn_down") else columns**-0.5
            setattr(self, name, nn.Parameter(torch.randn(rows, columns) * scale))

    def forward(self, x, cos, sin, wanted=None):
        """wanted: [batch, length] marks the places that go on behind the attention; the rest is dropped."""
        shape, (batch, length, _) = self.shape, x.shape
        kv = shape.kv_heads * shape.head_size
        normed = F.rms_norm(x, (shape.dim,), self.attn_norm, shape.norm_eps)
        q, k, v = F.linear(normed, torch.cat((self.attn_q, self.attn_k, self.attn_v))).split((shape.dim, kv, kv), -1)
        q, k, v = (t.view(batch, length, -1, shape.head_size).transpose(1, 2) for t in (q, k, v))
        q, k = rotate(q, cos, sin), rotate(k, cos, sin)
        group = shape.heads // shape.kv_heads
        k, v = k.repeat_interleave(group, 1), v.repeat_interleave(group, 1)
        mixed = (
            F.scaled_dot_product_attention(q, k, v, is_causal=True).transpose(1, 2).reshape(batch, length, shape.dim)
        )
        if wanted is not None:
            x, mixed = x[wanted], mixed[wanted]
        x = x + F.linear(mixed, self.attn_output)
        normed = F.rms_norm(x, (shape.dim,), self.ffn_norm, shape.norm_eps)
        gate, up = F.linear(normed, torch.cat((self.ffn_gate, self.ffn_up))).chunk(2, -1)
        return x + F.linear(F.silu(gate) * up, self.ffn_down)


class Model(nn.Module):
    def __init__(self, shape=Shape()):
        super().__init__()
        self.shape = shape
        self.token_embd = nn.Parameter(torch.randn(shape.vocabulary, shape.dim) * 0.05)
        self.blocks = nn.ModuleList(Block(shape) for _ in range(shape.layers))
        self.output_norm = nn.Parameter(torch.ones(shape.dim))
        cos, sin = rotation(shape, shape.context)
        self.register_buffer("cos", cos, persistent=False)
        self.register_buffer("sin", sin, persistent=False)

    def hidden(self, ids, wanted=None):
        """The states behind the last norm: [batch, length, dim], or [places, dim] of the wanted ones only."""
        x, length = F.embedding(ids, self.token_embd), ids.shape[1]
        for index, block in enumerate(self.blocks):
            last = index == self.shape.layers - 1
            x = block(x, self.cos[:length], self.sin[:length], wanted if last else None)
        return F.rms_norm(x, (self.shape.dim,), self.output_norm, self.shape.norm_eps)

    def logits(self, hidden):
        return F.linear(hidden, self.token_embd)
