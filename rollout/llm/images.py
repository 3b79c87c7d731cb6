"""Any way of naming an image → an `ImagePart`. Bytes are passed on untouched unless something has to change."""

from __future__ import annotations

import base64
import binascii
import hashlib
import io
import re
from pathlib import Path
from typing import Literal

from PIL import Image

from rollout.llm.messages import ImagePart

Format = Literal["png", "jpeg", "webp"]

_DATA_URL = re.compile(r"data:image/[a-z0-9.+-]{1,20};base64,", re.IGNORECASE)
_JPEG_QUALITY = 85
_MAX_PIXELS = 100_000_000


class ImageUnreadable(ValueError):
    """What was given names no image of a known format."""


def encode_image(
    source: str | Path | bytes,
    *,
    resize: tuple[int, int] | None = None,
    format: Format | None = None,
    path: str | None = None,
) -> ImagePart:
    """Read an image to send.

    Args:
        source: a file's path, a data URL, base64 text, or the encoded bytes.
        resize: width and height in pixels to send; the shape is not kept. None leaves the size alone.
        format: png, jpeg (quality 85) or webp; None keeps what it is.
        path: the name the record uses; None takes the file's own, or "" when there is none.

    Raises:
        ImageUnreadable: the source is no image.
        OSError: the file cannot be read.
    """
    data, found_path = _bytes_of(source)
    try:
        with Image.open(io.BytesIO(data)) as image:
            size, kind = image.size, _format_of(image)
            if size[0] * size[1] > _MAX_PIXELS:
                raise ImageUnreadable(f"the image has {size[0]}x{size[1]} pixels; at most {_MAX_PIXELS} are taken")
            wanted = format or kind
            if (resize is not None and resize != size) or wanted != kind:
                data, size, kind = _encode(image, resize or size, wanted), resize or size, wanted
    except (OSError, SyntaxError, Image.DecompressionBombError) as error:
        raise ImageUnreadable(f"this is no readable image ({error})") from error
    name = found_path if path is None else path
    return ImagePart(data, name, hashlib.sha256(data).hexdigest(), kind, size[0], size[1])


def _bytes_of(source: str | Path | bytes) -> tuple[bytes, str]:
    """The encoded bytes, and the file's path if it was one."""
    if isinstance(source, bytes):
        return source, ""
    if isinstance(source, Path):
        return source.read_bytes(), str(source)
    if url := _DATA_URL.match(source):
        return _decode(source[url.end() :]), ""
    if _is_file(source):
        return Path(source).read_bytes(), source
    return _decode(source), ""


def _is_file(text: str) -> bool:
    try:
        return Path(text).is_file()
    except (OSError, ValueError):  # base64 is too long for a name, or holds what no name may
        return False


def _decode(text: str) -> bytes:
    try:
        return base64.b64decode("".join(text.split()), validate=True)
    except (binascii.Error, ValueError) as error:
        raise ImageUnreadable("neither a file, nor a data URL, nor base64") from error


def _format_of(image: Image.Image) -> Format:
    match image.format:
        case "PNG":
            return "png"
        case "JPEG" | "MPO":
            return "jpeg"
        case "WEBP":
            return "webp"
    raise ImageUnreadable(f"images of format {image.format} are not sent; png, jpeg and webp are")


def _encode(image: Image.Image, size: tuple[int, int], kind: Format) -> bytes:
    if size != image.size:
        image = image.convert("RGB").resize(size, Image.Resampling.LANCZOS)
    if kind == "jpeg" and image.mode != "RGB":
        image = image.convert("RGB")
    out = io.BytesIO()
    image.save(out, kind.upper(), **({"quality": _JPEG_QUALITY} if kind == "jpeg" else {}))
    return out.getvalue()
