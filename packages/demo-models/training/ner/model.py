"""The recogniser: pieces with their neighbours, mixed by convolutions and small layers. No position, no attention."""

import torch
import torch.nn.functional as F
from torch import nn

GROUPS = ("PER", "LOC", "ORG", "STREET_ADDRESS", "DATE")
LABELS = ["O"] + [f"{mark}-{group}" for group in GROUPS for mark in "BI"]
WIDTH, HIDDEN, KERNEL = 256, 512, 5
DILATIONS = (1, 1, 2, 4, 8, 1)
# In training only: shares of the hidden channels of a row and of whole pieces that are left out, so that no text is known by
# heart.
HIDDEN_DROPOUT, PIECE_DROPOUT = 0.1, 0.06


class Block(nn.Module):
    """Mixes each place with its neighbours, channel by channel, then the channels of each place."""

    def __init__(self, dilation):
        super().__init__()
        self.dilation = dilation
        self.neighbours = nn.Parameter(torch.randn(KERNEL, WIDTH) * 0.3)
        self.norm = nn.LayerNorm(WIDTH)
        self.widen = nn.Linear(WIDTH, HIDDEN)
        self.narrow = nn.Linear(HIDDEN, WIDTH)
        nn.init.normal_(self.narrow.weight, std=0.02)
        nn.init.zeros_(self.narrow.bias)

    def forward(self, x, mask=None):
        length, reach = x.shape[1], self.dilation * (KERNEL // 2)
        inner = x if mask is None else x * mask
        padded = F.pad(inner, (0, 0, reach, reach))
        mixed = sum(padded[:, i * self.dilation : i * self.dilation + length] * self.neighbours[i] for i in range(KERNEL))
        hidden = F.relu(self.widen(self.norm(mixed)))
        if self.training:
            kept = torch.rand(x.shape[0], 1, HIDDEN) >= HIDDEN_DROPOUT
            hidden = hidden * (kept / (1 - HIDDEN_DROPOUT))
        return x + self.narrow(hidden)


class Recogniser(nn.Module):
    """Scores of the labels for every piece. `lowers` and `shapes` describe the vocabulary."""

    def __init__(self, lowers, shapes):
        super().__init__()
        self.register_buffer("lowers", torch.tensor(lowers))
        self.register_buffer("shapes", torch.tensor(shapes))
        self.forms = nn.Embedding(max(lowers) + 1, WIDTH)
        self.cases = nn.Embedding(max(shapes) + 1, WIDTH)
        self.own = nn.Embedding(len(lowers), WIDTH)
        # small, so that the first steps move also the vectors of rare pieces
        for table in (self.forms, self.cases):
            nn.init.normal_(table.weight, std=0.05)
        nn.init.zeros_(self.own.weight)
        self.entry = nn.LayerNorm(WIDTH)
        self.blocks = nn.ModuleList(Block(dilation) for dilation in DILATIONS)
        self.exit = nn.LayerNorm(WIDTH)
        self.head = nn.Linear(WIDTH, len(LABELS))

    def table(self):
        """One vector for each piece: its form in small letters, its shape, and what this spelling alone means."""
        return self.forms(self.lowers) + self.cases(self.shapes) + self.own.weight

    def mix(self, x, mask=None):
        x = self.entry(x)
        for block in self.blocks:
            x = block(x, mask)
        return self.head(self.exit(x))

    def forward(self, ids):
        pieces = self.forms(self.lowers[ids]) + self.cases(self.shapes[ids]) + self.own(ids)
        if self.training:
            pieces = pieces * (torch.rand(*ids.shape, 1) >= PIECE_DROPOUT)
        return self.mix(pieces)
