"""Writes GGUF version 3 files: little-endian, keys, tensor list, data aligned to 32 bytes."""

import struct

import numpy as np

U32, I32, F32, BOOL, STRING, ARRAY = 4, 5, 6, 7, 8, 9
ALIGNMENT = 32
Q8_BLOCK = 32
TENSOR_TYPES = {"F32": 0, "F16": 1, "Q8_0": 8}


def text(value):
    data = value.encode("utf-8")
    return struct.pack("<Q", len(data)) + data


def scalar(kind, value):
    if kind == STRING:
        return text(value)
    if kind == BOOL:
        return struct.pack("<?", value)
    return struct.pack({U32: "<I", I32: "<i", F32: "<f"}[kind], value)


def entry(key, kind, value):
    if isinstance(kind, tuple):  # (ARRAY, kind of the elements)
        head = struct.pack("<IIQ", ARRAY, kind[1], len(value))
        return text(key) + head + b"".join(scalar(kind[1], item) for item in value)
    return text(key) + struct.pack("<I", kind) + scalar(kind, value)


def quantize(values):
    """Q8_0: each 32 values share one half-precision scale, 34 bytes a block."""
    blocks = values.astype(np.float32).reshape(-1, Q8_BLOCK)
    scale = np.abs(blocks).max(1, keepdims=True) / 127
    with np.errstate(divide="ignore", invalid="ignore"):
        steps = np.where(scale > 0, np.rint(blocks / scale), 0).astype(np.int8)
    return np.concatenate((scale.astype("<f2").view(np.int8), steps), 1).tobytes()


def encode(values, kind):
    if kind == "Q8_0":
        return quantize(values)
    return values.astype("<f2" if kind == "F16" else "<f4").tobytes()


def padding(length):
    return b"\0" * (-length % ALIGNMENT)


def write(path, keys, tensors, matrix_type):
    """keys: (name, kind, value); tensors: (name, array). One-dimensional tensors stay F32."""
    infos, data = [], b""
    for name, values in tensors:
        kind = matrix_type if values.ndim == 2 else "F32"
        dims = values.shape[::-1]  # fastest first
        infos.append(
            text(name)
            + struct.pack("<I", len(dims))
            + struct.pack(f"<{len(dims)}Q", *dims)
            + struct.pack("<IQ", TENSOR_TYPES[kind], len(data))
        )
        encoded = encode(values, kind)
        data += encoded + padding(len(encoded))
    head = (
        b"GGUF"
        + struct.pack("<IQQ", 3, len(tensors), len(keys))
        + b"".join(entry(*key) for key in keys)
        + b"".join(infos)
    )
    temporary = path.with_suffix(
        ".tmp"
    )  # a running server may have the old file mapped: replace it, never write into it
    temporary.write_bytes(head + padding(len(head)) + data)
    temporary.replace(path)
