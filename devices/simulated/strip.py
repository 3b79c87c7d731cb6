"""A machine-readable strip over the top of a simulated screen: which screen it is and where its elements are.

The strip is a grid of black and white cells, `COLUMNS` over the whole width and at most `MAX_ROWS` down. It holds
magic (16 bit), payload length (8 bit), payload and CRC-16, row by row, most significant bit first, black for 1. It is
read at cell centres and measured in parts of the image, so it survives resizing and JPEG.

Payload: screen id and flags (each a length byte and UTF-8), scroll (32 bit), element count (8 bit), then 34 bits for
each element: key hash 16, x 8 (of the width), y 10 (of the height).
"""

from __future__ import annotations

import io
import struct
import zlib
from binascii import crc32, crc_hqx
from dataclasses import dataclass

from PIL import Image

COLUMNS = 180
MAX_ROWS = 6
MAGIC = 0xA53C
PORTRAIT_DIVISOR = 240
"""A cell is 1/240 of a portrait image's height …"""
LANDSCAPE_DIVISOR = 108
"""… and 1/108 of a landscape image's, which on a 20:9 phone is the same number of pixels."""

_CAPACITY_BYTES = COLUMNS * MAX_ROWS // 8
_ENVELOPE_BYTES = 5
_PAYLOAD_BYTES = _CAPACITY_BYTES - _ENVELOPE_BYTES
_ELEMENT_BITS = 34
_PNG_SIGNATURE = b"\x89PNG\r\n\x1a\n"
_PNG_BYTES_PER_PIXEL = {0: 1, 2: 3, 3: 1, 4: 2, 6: 4}
_RGB = 2
_BIT_TO_GREY = bytes.maketrans(b"01", b"\xff\x00")
_GREY_TO_BIT = b"1" * 128 + b"0" * 128


@dataclass(frozen=True, slots=True)
class StripElement:
    """An element that can be touched; x and y are its middle, 0–1000 of the image's width and height."""

    key_hash: int
    x: float
    y: float


@dataclass(frozen=True, slots=True)
class StripInfo:
    """What the strip says of a screen.

    Flags: `k` keyboard is up, `f=NAME` that text field has the focus, `d=ID` that dialog is open, `m` still moving.
    """

    screen: str
    scroll: int = 0
    flags: tuple[str, ...] = ()
    elements: tuple[StripElement, ...] = ()

    def find(self, key: str) -> tuple[float, float] | None:
        """Where the element with this key is (0–1000), or None when it is not on the screen."""
        wanted = key_hash(key)
        return next(((e.x, e.y) for e in self.elements if e.key_hash == wanted), None)

    def flag(self, name: str) -> str | None:
        """The value of flag `name=value`, or None."""
        return next((f[len(name) + 1 :] for f in self.flags if f.startswith(name + "=")), None)


def key_hash(key: str) -> int:
    """16 bits that stand for an element's key."""
    return crc_hqx(key.encode(), 0xFFFF)


def pack(info: StripInfo) -> bytes:
    """Strip bytes (magic to CRC) for `info`; elements farthest from the middle are dropped when they do not fit."""
    screen, flags = info.screen.encode()[:40], " ".join(info.flags).encode()[:40]
    head = bytes([len(screen)]) + screen + bytes([len(flags)]) + flags + struct.pack(">I", max(0, info.scroll))
    room = (_PAYLOAD_BYTES - len(head) - 1) * 8 // _ELEMENT_BITS
    elements = _nearest_to_middle(info.elements, room)
    bits = 0
    for element in elements:
        x, y = round(element.x * 255 / 1000), round(element.y * 1023 / 1000)
        bits = bits << _ELEMENT_BITS | element.key_hash << 18 | _clamp(x, 255) << 10 | _clamp(y, 1023)
    size = (len(elements) * _ELEMENT_BITS + 7) // 8
    payload = head + bytes([len(elements)]) + bits.to_bytes(size, "big")
    body = struct.pack(">HB", MAGIC, len(payload)) + payload
    return body + struct.pack(">H", crc_hqx(body, 0))


def _clamp(value: int, high: int) -> int:
    return min(high, max(0, value))


def _nearest_to_middle(elements: tuple[StripElement, ...], room: int) -> tuple[StripElement, ...]:
    if len(elements) <= room:
        return elements
    kept = set(sorted(range(len(elements)), key=lambda i: abs(elements[i].y - 500))[:room])
    return tuple(e for i, e in enumerate(elements) if i in kept)


def unpack(data: bytes) -> StripInfo | None:
    """The inverse of `pack`; None when magic, length or CRC is wrong."""
    if len(data) < _ENVELOPE_BYTES or data[:2] != MAGIC.to_bytes(2, "big"):
        return None
    end = 3 + data[2]
    if end + 2 > len(data) or crc_hqx(data[:end], 0) != int.from_bytes(data[end : end + 2], "big"):
        return None
    return _unpack_payload(data[3:end])


def _unpack_payload(payload: bytes) -> StripInfo:
    at = 1 + payload[0]
    screen = payload[1:at].decode(errors="replace")
    flags = payload[at + 1 : at + 1 + payload[at]].decode(errors="replace")
    at += 1 + payload[at]
    (scroll,) = struct.unpack_from(">I", payload, at)
    count, bits = payload[at + 4], int.from_bytes(payload[at + 5 :], "big")
    elements = []
    for i in reversed(range(count)):
        item = bits >> (i * _ELEMENT_BITS)
        elements.append(
            StripElement(item >> 18 & 0xFFFF, (item >> 10 & 0xFF) * 1000 / 255, (item & 0x3FF) * 1000 / 1023)
        )
    return StripInfo(screen, scroll, tuple(flags.split(" ")) if flags else (), tuple(elements))


def _divisor(width_px: int, height_px: int) -> int:
    return PORTRAIT_DIVISOR if height_px >= width_px else LANDSCAPE_DIVISOR


def draw_strip(image: Image.Image, info: StripInfo) -> None:
    """Draw the strip over the top of `image` (any mode that Pillow can paste RGB into)."""
    data = pack(info)
    rows = -(-len(data) * 8 // COLUMNS)
    bits = format(int.from_bytes(data, "big"), f"0{len(data) * 8}b").ljust(rows * COLUMNS, "0")
    cells = Image.frombytes("L", (COLUMNS, rows), bits.encode().translate(_BIT_TO_GREY))
    height = round(rows * image.height / _divisor(image.width, image.height))
    image.paste(cells.resize((image.width, height), Image.Resampling.NEAREST).convert(image.mode), (0, 0))


def read_strip(image_bytes: bytes) -> StripInfo | None:
    """Read the strip from an encoded image (PNG, JPEG, WebP, resized or not); None when it has none.

    Of a PNG only the top rows are decoded.
    """
    try:
        width_px, height_px = _size(image_bytes)
        first = _divisor(width_px, height_px)
        # The other layout too: an image squeezed to another shape keeps the layout it was drawn in.
        for divisor in (first, PORTRAIT_DIVISOR + LANDSCAPE_DIVISOR - first):
            rows_px = min(height_px, -(-MAX_ROWS * height_px // divisor))
            info = _read_cells(_top(image_bytes, rows_px), height_px / divisor)
            if info is not None:
                return info
    except (OSError, zlib.error, struct.error, ValueError, SyntaxError, KeyError):
        return None
    return None


def _read_cells(top: Image.Image, row_px: float) -> StripInfo | None:
    """Sample the middle third of each cell. The strip may be shorter than `MAX_ROWS`; its length byte says."""
    rows = min(MAX_ROWS, int(top.height / row_px + 0.01))
    if rows < 1:
        return None
    box = (0, 0, top.width, min(rows * row_px, top.height))
    grid = top.resize((COLUMNS * 3, rows * 3), Image.Resampling.BOX, box=box)
    middle = grid.resize((COLUMNS, rows), Image.Resampling.NEAREST).tobytes().translate(_GREY_TO_BIT)
    size = len(middle) // 8
    return unpack(int(middle[: size * 8], 2).to_bytes(size, "big"))


def _size(image_bytes: bytes) -> tuple[int, int]:
    if image_bytes.startswith(_PNG_SIGNATURE):
        width_px, height_px = struct.unpack_from(">II", image_bytes, 16)
        return width_px, height_px
    with Image.open(io.BytesIO(image_bytes)) as image:
        return image.size


def _top(image_bytes: bytes, rows_px: int) -> Image.Image:
    """The image's top rows, grey."""
    if image_bytes.startswith(_PNG_SIGNATURE) and image_bytes[24] == 8 and not image_bytes[28]:
        return _png_top(image_bytes, rows_px)
    with Image.open(io.BytesIO(image_bytes)) as image:
        return image.convert("L").crop((0, 0, image.width, rows_px))


def _png_top(png: bytes, rows: int) -> Image.Image:
    """The first rows of a PNG (8 bits a channel, not interlaced), inflating no more than those."""
    width, colour = struct.unpack_from(">I5xB", png, 16)
    stride = 1 + width * _PNG_BYTES_PER_PIXEL[colour]
    raw, palette = _inflate_top(png, rows * stride)
    if colour == _RGB and not any(raw[::stride]):
        # No row is filtered: what was inflated are the pixels.
        return Image.frombytes("RGB", (width, rows), memoryview(raw)[1:], "raw", "RGB", stride).convert("L")
    head = struct.pack(">IIBBBBB", width, rows, 8, colour, 0, 0, 0)
    chunks = _chunk(b"IHDR", head) + palette + _chunk(b"IDAT", zlib.compress(raw, 0)) + _chunk(b"IEND", b"")
    with Image.open(io.BytesIO(_PNG_SIGNATURE + chunks)) as image:
        return image.convert("L")


def _inflate_top(png: bytes, wanted: int) -> tuple[bytes, bytes]:
    """The first `wanted` bytes of filtered rows, and the palette chunk if there is one."""
    inflater, raw, palette, at = zlib.decompressobj(), b"", b"", 8
    while len(raw) < wanted and at + 8 <= len(png):
        length, kind = struct.unpack_from(">I4s", png, at)
        if kind == b"IDAT":
            raw += inflater.decompress(png[at + 8 : at + 8 + length], wanted - len(raw))
        elif kind == b"PLTE":
            palette = png[at : at + 12 + length]
        at += 12 + length
    if len(raw) < wanted:
        raise ValueError("PNG ends inside its top rows")
    return raw, palette


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", crc32(kind + data))
