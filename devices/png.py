"""Where a PNG picture begins and ends among a phone's bytes, and how large it is. Nothing is decoded."""

from __future__ import annotations

from dataclasses import dataclass

SIGNATURE = b"\x89PNG\r\n\x1a\n"
NOTHING = "0 bytes of picture"
_HEAD_BYTES = 16 * 1024
"""Where the signature is looked for first: text in front of a picture is short."""
MAX_PIXELS = 20_000_000
"""More than any phone has; a larger claim is a broken or hostile header."""


class NotAPicture(ValueError):
    """The bytes do not hold one whole PNG picture; the message says what they hold."""


@dataclass(frozen=True, slots=True)
class PngSpan:
    """`data[start:end]` is the picture, of `width_px` x `height_px`."""

    start: int
    end: int
    width_px: int
    height_px: int


def find(data: bytes | memoryview) -> PngSpan:
    """Find the picture: text may stand before its signature and after its end.

    Raises:
        NotAPicture: no signature, cut short, chunks that do not follow each other, or an impossible size.
    """
    start = bytes(data[:_HEAD_BYTES]).find(SIGNATURE)
    if start < 0:
        start = bytes(data).find(SIGNATURE)
    if start < 0:
        raise NotAPicture(NOTHING)
    header = bytes(data[start + 8 : start + 33])
    if len(header) < 25 or header[:8] != b"\x00\x00\x00\x0dIHDR":
        raise NotAPicture(f"a picture without header in {len(data)} bytes")
    width_px, height_px = int.from_bytes(header[8:12]), int.from_bytes(header[12:16])
    if width_px == 0 or height_px == 0 or width_px * height_px > MAX_PIXELS:
        raise NotAPicture(f"a picture of {width_px} x {height_px} pixels is not a screen")
    return PngSpan(start, _end(data, start + 8), width_px, height_px)


def _end(data: bytes | memoryview, position: int) -> int:
    """Walk from chunk to chunk; the end is behind IEND."""
    size, has_pixels = len(data), False
    while position + 12 <= size:
        kind = bytes(data[position + 4 : position + 8])
        position += 12 + int.from_bytes(data[position : position + 4])
        if kind == b"IDAT":
            has_pixels = True
        elif kind == b"IEND":
            if not has_pixels or position > size:
                break
            return position
        elif not kind.isalpha():
            raise NotAPicture(f"broken picture: {kind!r} where a chunk should begin")
    raise NotAPicture(f"a picture cut short after {size} bytes")
