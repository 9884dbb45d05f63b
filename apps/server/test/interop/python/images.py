"""Rpcs of the Python backend that write pictures and films: real files, made without a library."""

import struct
import zlib

WIDTH = 3


def png(colour):
    """A PNG of three points in one colour."""

    def chunk(kind, data):
        body = kind + data
        return struct.pack(">I", len(data)) + body + struct.pack(">I", zlib.crc32(body))

    header = struct.pack(">IIBBBBB", WIDTH, 1, 8, 2, 0, 0, 0)
    row = b"\0" + bytes(colour) * WIDTH
    return b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", header) + chunk(b"IDAT", zlib.compress(row)) + chunk(b"IEND", b"")


def mp4(seconds):
    """A film of a length, without pictures."""

    def box(kind, data):
        return struct.pack(">I", len(data) + 8) + kind + data

    header = struct.pack(">IIIII", 0, 0, 0, 1000, int(seconds * 1000)) + bytes(80)
    return box(b"ftyp", b"isom\0\0\2\0isomiso2") + box(b"mdat", b"") + box(b"moov", box(b"mvhd", header))


def write(path, data):
    with open(path, "wb") as file:
        file.write(data)


def create_images(contract):
    """Makes the rpcs for the messages of a contract."""

    def written():
        return contract.Result(success=True, message="written")

    class Images:
        """Makes files as a backend of the contract does."""

        def GenerateImage(self, request, context):
            self._need_model(context)
            write(request.dst, png([request.seed % 256, request.width % 256, request.step % 256]))
            return written()

        def UpscaleImage(self, request, context):
            self._need_model(context)
            with open(request.src, "rb") as file:
                write(request.dst, file.read())
            return written()

        def GenerateVideo(self, request, context):
            self._need_model(context)
            write(request.dst, mp4(2))
            return written()

    return Images
