"""Images from a path, a data URL, base64 or bytes; touched only when something has to change."""

from __future__ import annotations

import base64
import hashlib
import io
from pathlib import Path

import pytest
from PIL import Image

from rollout.llm.images import ImageUnreadable, encode_image


def png(width: int = 6, height: int = 4, mode: str = "RGB") -> bytes:
    out = io.BytesIO()
    Image.new(mode, (width, height), "red").save(out, "PNG")
    return out.getvalue()


def test_every_way_of_naming_an_image_gives_its_bytes_untouched(tmp_path: Path) -> None:
    data = png()
    file = tmp_path / "screen.png"
    file.write_bytes(data)
    text = base64.b64encode(data).decode()
    for source in (file, str(file), f"data:image/png;base64,{text}", text, data):
        part = encode_image(source)
        assert part.data == data
        assert (part.format, part.width, part.height) == ("png", 6, 4)
        assert part.sha256 == hashlib.sha256(data).hexdigest()
    assert encode_image(file).path == str(file)
    assert encode_image(file, path="screenshots/0001.png").path == "screenshots/0001.png"


def test_a_size_that_is_already_right_changes_nothing() -> None:
    assert encode_image(png(), resize=(6, 4), format="png").data == png()


def test_resizing_and_another_format_are_done_when_asked_for() -> None:
    part = encode_image(png(mode="RGBA"), resize=(3, 9), format="jpeg")
    assert (part.format, part.width, part.height) == ("jpeg", 3, 9)
    with Image.open(io.BytesIO(part.data)) as image:
        assert (image.format, image.size) == ("JPEG", (3, 9))


@pytest.mark.parametrize("source", ["no/such/file.png", "a\0b", "x" * 5000 + "!", b"GIF89a", b"", png()[:20]])
def test_what_is_no_image_is_refused(source: str | bytes) -> None:
    with pytest.raises(ImageUnreadable):
        encode_image(source)
