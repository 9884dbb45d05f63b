"""How sure a model may be: the temperature of its scores that fits the folder `dev` of the corpora best."""

import torch
import torch.nn.functional as F

from corpora import with_unknown
from train import UNKNOWN, label_pieces

TEMPERATURES = [0.5 + 0.05 * step for step in range(51)]
BUCKETS = 10


@torch.no_grad()
def judge_pieces(model, tokenizer, corpora):
    """The scores of all pieces before the last step, and their labels."""
    scores, labels = [], []
    for documents in corpora.dev().values():
        for document in documents:
            spans = [(span["start"], span["end"], span["group"]) for span in document["spans"]]
            encoding = tokenizer.encode(document["text"])
            if encoding.ids:
                scores.append(model(torch.tensor([encoding.ids]))[0])
                labels += label_pieces(encoding, document["text"], with_unknown(document["text"], spans))
    labels = torch.tensor(labels)
    known = labels != UNKNOWN
    return torch.cat(scores)[known], labels[known]


def fit_temperature(model, tokenizer, corpora):
    """The temperature, and lines that say how often a score of each height was right."""
    scores, labels = judge_pieces(model, tokenizer, corpora)
    # most pieces are of no name, and surely so: they say nothing of the scores that a host compares
    near = (labels > 0) | (scores.argmax(-1) > 0)
    scores, labels = scores[near], labels[near]
    best = min(TEMPERATURES, key=lambda temperature: F.cross_entropy(scores / temperature, labels).item())
    shares, found = F.softmax(scores / best, -1).max(-1)
    lines = []
    for bucket in range(BUCKETS):
        inside = (found > 0) & (shares * BUCKETS).long().clamp(max=BUCKETS - 1).eq(bucket)
        if inside.any():
            right = (found == labels)[inside].float().mean().item()
            lines.append(f"score {shares[inside].mean():.2f}: right {right:.2f} of {int(inside.sum())} pieces")
    return best, lines
