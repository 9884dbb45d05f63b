"""Muon for the matrices, AdamW for embeddings and norms."""

import torch


def orthogonalize(matrices, steps=5):
    """Newton-Schulz: brings the singular values of a stack of matrices near one."""
    a, b, c = 3.4445, -4.7750, 2.0315
    x = matrices / (matrices.norm(dim=(-2, -1), keepdim=True) + 1e-7)
    wide = x.shape[-2] <= x.shape[-1]
    x = x if wide else x.mT
    for _ in range(steps):
        square = x @ x.mT
        x = a * x + (b * square + c * (square @ square)) @ x
    return x if wide else x.mT


class Optimizer:
    """One step(rate) for all parameters; rate is Muon's, AdamW runs at a fixed part of it."""

    def __init__(self, model, momentum=0.95, decay=0.02, adam_part=0.15):
        matrices, others = [], []
        for name, parameter in model.named_parameters():
            (matrices if parameter.ndim == 2 and name != "token_embd" else others).append(parameter)
        self.groups = {}
        for parameter in matrices:
            self.groups.setdefault(tuple(parameter.shape), []).append(parameter)
        self.velocity = {shape: torch.zeros(len(group), *shape) for shape, group in self.groups.items()}
        self.momentum, self.decay, self.adam_part = momentum, decay, adam_part
        self.adam = torch.optim.AdamW(others, lr=0.0, betas=(0.9, 0.95), weight_decay=0.0, foreach=True)

    @torch.no_grad()
    def step(self, rate):
        for shape, group in self.groups.items():
            gradient = torch.stack([parameter.grad for parameter in group])
            velocity = self.velocity[shape]
            velocity.mul_(self.momentum).add_(gradient)
            update = orthogonalize(gradient + self.momentum * velocity) * max(1.0, shape[0] / shape[1]) ** 0.5
            for parameter, change in zip(group, update):
                parameter.mul_(1 - rate * self.decay).sub_(change, alpha=rate)
        for group in self.adam.param_groups:
            group["lr"] = rate * self.adam_part
        self.adam.step()

    def state(self):
        return {"velocity": list(self.velocity.values()), "adam": self.adam.state_dict()}

    def load(self, state):
        for mine, saved in zip(self.velocity.values(), state["velocity"]):
            mine.copy_(saved)
        self.adam.load_state_dict(state["adam"])
