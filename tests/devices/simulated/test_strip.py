"""The strip survives what happens to screenshots on their way to a model."""

from __future__ import annotations

import io

import pytest
from PIL import Image

from devices.simulated.strip import StripElement, StripInfo, draw_strip, key_hash, read_strip

INFO = StripInfo(
    "notes/edit",
    1234,
    ("k", "f=title", "d=delete"),
    tuple(StripElement(key_hash(f"notes.row.{i}"), 1000 * (i * 31 % 256) / 255, 1000 * i / 20) for i in range(18)),
)


def encoded(image: Image.Image, form: str, **options: object) -> bytes:
    buffer = io.BytesIO()
    image.save(buffer, form, **({"compress_level": 1} if form == "PNG" else options))
    return buffer.getvalue()


def drawn(size: tuple[int, int] = (1080, 2400), info: StripInfo = INFO) -> Image.Image:
    """On a noisy picture, which is the hardest ground."""
    image = Image.effect_noise(size, 90).convert("RGB")
    draw_strip(image, info)
    return image


def assert_same(read: StripInfo | None, info: StripInfo = INFO) -> None:
    assert read is not None
    assert (read.screen, read.scroll, read.flags) == (info.screen, info.scroll, info.flags)
    assert [e.key_hash for e in read.elements] == [e.key_hash for e in info.elements]
    for found, wanted in zip(read.elements, info.elements, strict=True):
        assert found.x == pytest.approx(wanted.x, abs=2) and found.y == pytest.approx(wanted.y, abs=0.5)


@pytest.mark.parametrize("size", [(1080, 2400), (2400, 1080), (720, 1560)])
@pytest.mark.parametrize("scale", [1, 0.5])
@pytest.mark.parametrize(("form", "options"), [("PNG", {}), ("JPEG", {"quality": 85}), ("WEBP", {"quality": 85})])
def test_strip_is_read_from_any_encoding_down_to_half_the_size(size, scale, form, options):
    image = drawn(size).resize((int(size[0] * scale), int(size[1] * scale)))
    assert_same(read_strip(encoded(image, form, **options)))


@pytest.mark.parametrize("size", [(1080, 2400), (2400, 1080)])
def test_strip_is_read_from_a_picture_squeezed_into_a_square(size):
    assert_same(read_strip(encoded(drawn(size).resize((728, 728)), "PNG")))


@pytest.mark.parametrize("mode", ["RGBA", "P", "L"])
def test_strip_is_read_from_every_kind_of_png(mode):
    assert_same(read_strip(encoded(drawn().convert(mode), "PNG")))


def test_elements_are_found_by_key():
    info = read_strip(encoded(drawn(), "PNG"))
    assert info is not None
    assert info.find("notes.row.0") == pytest.approx((0, 0))
    assert info.find("no.such.key") is None
    assert (info.flag("f"), info.flag("d"), info.flag("x")) == ("title", "delete", None)


def test_too_many_elements_lose_those_farthest_from_the_middle():
    many = StripInfo("a/b", elements=tuple(StripElement(i, 500, 1000 * i / 59) for i in range(60)))
    read = read_strip(encoded(drawn(info=many), "PNG"))
    assert read is not None
    kept = [e.key_hash for e in read.elements]
    assert len(kept) >= 20 and kept == list(range(kept[0], kept[-1] + 1))
    assert abs((kept[0] + kept[-1]) / 2 - 29.5) <= 1


@pytest.mark.parametrize(
    "image_bytes",
    [
        b"",
        b"not a picture",
        b"\x89PNG\r\n\x1a\n",
        encoded(Image.new("RGB", (1080, 2400), "white"), "PNG"),
        encoded(Image.new("RGB", (3, 2), "black"), "PNG"),
        encoded(Image.effect_noise((300, 600), 99), "JPEG"),
        encoded(Image.effect_noise((300, 600), 99), "PNG")[:400],
    ],
)
def test_what_has_no_strip_reads_as_none(image_bytes):
    assert read_strip(image_bytes) is None


def test_a_flipped_cell_reads_as_none_and_not_as_something_else():
    image = drawn()
    image.paste("gray", (300, 0, 330, 30))
    assert read_strip(encoded(image, "PNG")) is None
