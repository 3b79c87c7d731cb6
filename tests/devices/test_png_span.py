"""A picture is found among a phone's bytes, whole or not at all, without decoding it."""

import io
import struct
import zlib
from pathlib import Path

import pytest
from PIL import Image

from devices import png

INPUTS = Path(__file__).parents[1] / "cases" / "inputs"


def picture(width: int = 3, height: int = 2) -> bytes:
    stream = io.BytesIO()
    Image.new("RGB", (width, height), "red").save(stream, "PNG")
    return stream.getvalue()


def chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))


def test_a_clean_picture_is_passed_on_as_it_is():
    data = picture()
    assert png.find(data) == png.PngSpan(0, len(data), 3, 2)


def test_text_before_and_after_the_picture_is_left_out():
    whole = picture()
    span = png.find(b"WARNING: linker: x\n" + whole + b"trailing words")
    assert (b"WARNING: linker: x\n" + whole + b"trailing words")[span.start : span.end] == whole


def test_a_warning_of_several_displays_is_cut_off():
    data = (INPUTS / "screencap_with_warning.bin").read_bytes()
    span = png.find(data)
    with Image.open(io.BytesIO(data[span.start : span.end])) as image:
        image.load()
        assert image.size == (span.width_px, span.height_px) == (90, 160)


def test_the_size_of_a_landscape_picture_is_read_from_its_header():
    span = png.find((INPUTS / "screencap_landscape.png").read_bytes())
    assert (span.width_px, span.height_px) == (2400, 1080)


def test_a_black_picture_is_a_picture():
    span = png.find((INPUTS / "black_1080x2400.png").read_bytes())
    assert (span.width_px, span.height_px) == (1080, 2400)


def test_nothing_is_not_a_picture():
    with pytest.raises(png.NotAPicture, match="0 bytes"):
        png.find((INPUTS / "screencap_empty.bin").read_bytes())


@pytest.mark.parametrize("kept", [8, 20, 33, 40, -1, -12])
def test_a_picture_cut_anywhere_is_refused(kept):
    with pytest.raises(png.NotAPicture):
        png.find(picture()[:kept])


def test_a_picture_of_impossible_size_is_refused_before_anyone_decodes_it():
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 100_000, 100_000, 8, 2, 0, 0, 0))
    with pytest.raises(png.NotAPicture, match="100000 x 100000"):
        png.find(png.SIGNATURE + header + chunk(b"IDAT", b"x") + chunk(b"IEND", b""))


def test_a_picture_without_pixels_is_refused():
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    with pytest.raises(png.NotAPicture):
        png.find(png.SIGNATURE + header + chunk(b"IEND", b""))


def test_bytes_lost_in_the_middle_are_noticed():
    header = chunk(b"IHDR", struct.pack(">IIBBBBB", 1, 1, 8, 2, 0, 0, 0))
    whole = header + chunk(b"IDAT", b"x" * 100) + chunk(b"IDAT", b"y" * 100) + chunk(b"IEND", b"")
    with pytest.raises(png.NotAPicture):
        png.find(png.SIGNATURE + whole[:60] + whole[90:])
