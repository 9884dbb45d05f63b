"""Figures of a model on the folder `dev` of the corpora: F2 by group, and the masked share of texts without a name."""

import torch
import torch.nn.functional as F

from model import LABELS

GROUPS = ("PER", "LOC", "ORG")
LETTERS = 60_000


def find(model, tokenizer, text, least=0.5):
    """The parts that the model names, as the host joins them: labels of one group behind each other."""
    encoding = tokenizer.encode(text)
    if not encoding.ids:
        return []
    scores = F.softmax(model(torch.tensor([encoding.ids])), -1)[0]
    found, last = [], None
    for (start, end), (score, label) in zip(encoding.offsets, (row.max(0) for row in scores)):
        name = LABELS[label]
        group = name[2:] if name != "O" and score >= least else None
        if group and last == group and name[0] == "I":
            found[-1][1] = end
        elif group:
            found.append([start + len(text[start:end]) - len(text[start:end].lstrip()), end, group])
        last = group
    return found


def score(found, spans, counts):
    for group in GROUPS:
        own = [part for part in found if part[2] == group]
        wanted = [span for span in spans if span["group"] == group]
        count = counts.setdefault(group, [0, 0, 0, 0])
        count[0] += sum(any(a < span["end"] and b > span["start"] for a, b, _ in own) for span in wanted)
        count[1] += len(wanted)
        count[2] += sum(any(a < span["end"] and b > span["start"] for span in wanted) for a, b, _ in own)
        count[3] += len(own)


def f2(count):
    recall, precision = count[0] / max(1, count[1]), count[2] / max(1, count[3])
    return 5 * precision * recall / max(1e-9, 4 * precision + recall)


@torch.no_grad()
def develop(model, tokenizer, corpora):
    """One line of figures."""
    model.eval()
    parts = []
    for name, documents in corpora.dev().items():
        counts, masked, letters = {}, 0, 0
        for document in documents:
            found = find(model, tokenizer, document["text"])
            score(found, document["spans"], counts)
            masked += sum(end - start for start, end, group in found if group in GROUPS)
            letters += len(document["text"])
            if letters > LETTERS:
                break
        if any(count[1] for count in counts.values()):
            parts.append(f"{name} " + "/".join(f"{f2(counts[group]):.3f}" for group in GROUPS))
        else:
            parts.append(f"{name} {100 * masked / letters:.2f} % masked")
    model.train()
    return "  ".join(parts)
