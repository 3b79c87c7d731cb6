"""Icons as strokes on a 24 x 24 grid, drawn large and scaled down so that their edges are smooth."""

from __future__ import annotations

from functools import lru_cache

from PIL import Image, ImageDraw

_SUPERSAMPLE = 4
_STROKE = 2.0

# line: points · poly: filled points · ring: x y radius · dot: x y radius · box: left top right bottom corner radius (outline)
# block: the same, filled · arc: x y radius from to (degrees, clockwise from the right)
_Shape = tuple[str, tuple[float, ...]]

ICONS: dict[str, tuple[_Shape, ...]] = {
    "add": (("line", (12, 4, 12, 20)), ("line", (4, 12, 20, 12))),
    "airplane": (("poly", (12, 2, 14, 4, 14, 9, 22, 14, 22, 16, 14, 14, 14, 19, 17, 21, 17, 22, 12, 21, 7, 22, 7, 21, 10, 19, 10, 14, 2, 16, 2, 14, 10, 9, 10, 4)),),
    "apps": tuple(("block", (x, y, x + 5, y + 5, 1)) for x in (4, 15) for y in (4, 15)),
    "back": (("line", (20, 12, 5, 12)), ("line", (12, 5, 5, 12, 12, 19))),
    "backspace": (("line", (8, 5, 21, 5, 21, 19, 8, 19, 2, 12, 8, 5)), ("line", (11, 9, 17, 15)), ("line", (17, 9, 11, 15))),
    "backup": (("arc", (12, 12, 8, 200, 110)), ("line", (12, 8, 12, 13, 15, 15))),
    "battery": (("box", (8, 5, 16, 21, 2)), ("block", (10, 2.5, 14, 5, 0)), ("block", (10, 11, 14, 19, 0))),
    "bell": (("line", (5, 17, 19, 17, 17, 14, 17, 10, 15, 6, 12, 5, 9, 6, 7, 10, 7, 14, 5, 17)), ("dot", (12, 20, 1.8)), ("dot", (12, 4, 1.5))),
    "bluetooth": (("line", (7, 7, 17, 17, 12, 22, 12, 2, 17, 7, 7, 17)),),
    "bulb": (("arc", (12, 9.5, 6, 125, 55)), ("line", (8.5, 14.5, 8.5, 17, 15.5, 17, 15.5, 14.5)), ("line", (10, 21, 14, 21))),
    "calendar": (("box", (4, 5, 20, 21, 2)), ("line", (4, 10, 20, 10)), ("line", (8, 3, 8, 6)), ("line", (16, 3, 16, 6))),
    "camera": (("box", (3, 6, 21, 20, 2)), ("ring", (12, 13, 4)), ("block", (8, 3, 16, 6, 1))),
    "check": (("line", (4, 12.5, 10, 18.5, 20, 6.5)),),
    "chevron": (("line", (9, 5, 16, 12, 9, 19)),),
    "clock": (("ring", (12, 12, 9)), ("line", (12, 6.5, 12, 12, 16, 14.5))),
    "close": (("line", (5, 5, 19, 19)), ("line", (19, 5, 5, 19))),
    "code": (("line", (8, 6, 2, 12, 8, 18)), ("line", (16, 6, 22, 12, 16, 18))),
    "devices": (("box", (3, 4, 17, 14, 1)), ("box", (14, 8, 21, 20, 1)), ("line", (3, 18, 12, 18))),
    "display": (("ring", (12, 12, 4.5)), *(("line", p) for p in ((12, 1, 12, 4), (12, 20, 12, 23), (1, 12, 4, 12), (20, 12, 23, 12), (4.2, 4.2, 6.3, 6.3), (17.7, 17.7, 19.8, 19.8), (19.8, 4.2, 17.7, 6.3), (6.3, 17.7, 4.2, 19.8)))),
    "edit": (("line", (4, 20, 5, 15, 16, 4, 20, 8, 9, 19, 4, 20)), ("line", (13, 7, 17, 11))),
    "enter": (("line", (20, 5, 20, 12, 5, 12)), ("line", (10, 7, 5, 12, 10, 17))),
    "folder": (("line", (3, 19, 3, 5, 9, 5, 11, 8, 21, 8, 21, 19, 3, 19)),),
    "gear": (("ring", (12, 12, 6.5)), ("ring", (12, 12, 2.5)), *(("line", p) for p in ((12, 2, 12, 5), (12, 19, 12, 22), (2, 12, 5, 12), (19, 12, 22, 12), (5, 5, 7, 7), (17, 17, 19, 19), (19, 5, 17, 7), (7, 17, 5, 19)))),
    "gesture": (("arc", (9, 12, 5, 180, 0)), ("arc", (19, 12, 5, 90, 180))),
    "globe": (("ring", (12, 12, 9)), ("line", (3, 12, 21, 12)), ("line", (12, 3, 9, 8, 9, 16, 12, 21, 15, 16, 15, 8, 12, 3))),
    "heart": (("line", (12, 20, 3, 11, 3, 7, 6, 4.5, 9, 4.5, 12, 8, 15, 4.5, 18, 4.5, 21, 7, 21, 11, 12, 20)),),
    "image": (("box", (3, 4, 21, 20, 2)), ("line", (4, 18, 9, 12, 13, 16, 16, 13, 20, 18)), ("dot", (15.5, 8.5, 1.8))),
    "info": (("ring", (12, 12, 9)), ("line", (12, 11, 12, 17)), ("dot", (12, 7.3, 1.4))),
    "key": (("ring", (8, 12, 4)), ("line", (12, 12, 22, 12, 22, 16)), ("line", (17, 12, 17, 15))),
    "language": (("line", (4, 20, 9, 6, 14, 20)), ("line", (6, 15, 12, 15)), ("line", (14, 6, 21, 6)), ("line", (17.5, 3, 17.5, 6, 15, 12)), ("line", (16, 7, 20, 12))),
    "lock": (("box", (5, 10, 19, 21, 2)), ("arc", (12, 9, 4.5, 180, 0)), ("line", (7.5, 9, 7.5, 10)), ("line", (16.5, 9, 16.5, 10)), ("dot", (12, 15.5, 1.8))),
    "map": (("line", (12, 22, 5.5, 12, 5.5, 8, 8, 4, 12, 2.5, 16, 4, 18.5, 8, 18.5, 12, 12, 22)), ("ring", (12, 9, 2.5))),
    "menu": (("dot", (12, 5, 1.9)), ("dot", (12, 12, 1.9)), ("dot", (12, 19, 1.9))),
    "message": (("line", (3, 21, 3, 4, 21, 4, 21, 17, 7, 17, 3, 21)),),
    "music": (("dot", (8, 18, 3)), ("dot", (17, 16, 3)), ("line", (10, 18, 10, 5, 19, 3.5, 19, 16))),
    "nav_back": (("line", (15, 5, 7, 12, 15, 19, 15, 5)),),
    "nav_home": (("ring", (12, 12, 7)),),
    "nav_recents": (("box", (6, 6, 18, 18, 2)),),
    "note": (("box", (5, 3, 19, 21, 2)), ("line", (8.5, 8, 15.5, 8)), ("line", (8.5, 12, 15.5, 12)), ("line", (8.5, 16, 12.5, 16))),
    "phone": (("line", (5, 4, 9, 4, 11, 9, 8.5, 10.5, 13.5, 15.5, 15, 13, 20, 15, 20, 19, 17, 20, 11, 17.5, 6.5, 13, 4, 7, 5, 4)),),
    "pin": (("poly", (8, 3, 16, 3, 15, 5, 15, 10, 18, 14, 13, 14, 12, 22, 11, 14, 6, 14, 9, 10, 9, 5)),),
    "print": (("box", (3, 9, 21, 17, 1)), ("box", (7, 3, 17, 9, 0)), ("box", (7, 14, 17, 21, 0))),
    "search": (("ring", (10.5, 10.5, 6.5)), ("line", (15.5, 15.5, 21, 21))),
    "shield": (("line", (12, 2.5, 20, 6, 20, 11, 17, 18, 12, 21.5, 7, 18, 4, 11, 4, 6, 12, 2.5)),),
    "shift": (("line", (12, 4, 4, 12, 8.5, 12, 8.5, 20, 15.5, 20, 15.5, 12, 20, 12, 12, 4)),),
    "sound": (("line", (3, 9, 7, 9, 12, 4, 12, 20, 7, 15, 3, 15, 3, 9)), ("arc", (12, 12, 5, 300, 60)), ("arc", (12, 12, 9, 300, 60))),
    "square": (("box", (4, 4, 20, 20, 3)),),
    "storage": (("box", (3, 4, 21, 10, 1)), ("box", (3, 14, 21, 20, 1)), ("dot", (7, 7, 1)), ("dot", (7, 17, 1))),
    "user": (("ring", (12, 8, 4)), ("arc", (12, 21, 8, 180, 0))),
    "wifi": (("dot", (12, 19, 1.8)), ("arc", (12, 19, 6, 225, 315)), ("arc", (12, 19, 10.5, 225, 315)), ("arc", (12, 19, 15, 225, 315))),
}  # fmt: skip
# One row an icon reads better than one number a line.
# ruff: noqa: E501


@lru_cache(maxsize=512)
def icon_mask(name: str, size_px: int) -> Image.Image:
    """The icon as an L mask of `size_px` squared. An unknown name draws a rounded square."""
    scale = size_px * _SUPERSAMPLE / 24
    mask = Image.new("L", (size_px * _SUPERSAMPLE,) * 2, 0)
    draw = ImageDraw.Draw(mask)
    for kind, numbers in ICONS.get(name, ICONS["square"]):
        _draw_shape(draw, kind, [n * scale for n in numbers], numbers, max(1, round(_STROKE * scale)))
    return mask.resize((size_px, size_px), Image.Resampling.BOX)


def _draw_shape(draw: ImageDraw.ImageDraw, kind: str, at: list[float], grid: tuple[float, ...], stroke: int) -> None:
    half = stroke / 2
    if kind == "line":
        draw.line(at, fill=255, width=stroke, joint="curve")
        for x, y in ((at[0], at[1]), (at[-2], at[-1])):
            draw.ellipse((x - half, y - half, x + half, y + half), fill=255)
    elif kind == "poly":
        draw.polygon(at, fill=255)
    elif kind in ("ring", "dot"):
        x, y, radius = at[0], at[1], at[2] + (half if kind == "ring" else 0)
        box = (x - radius, y - radius, x + radius, y + radius)
        draw.ellipse(box, fill=255 if kind == "dot" else None, outline=255, width=stroke)
    elif kind in ("box", "block"):
        fill = 255 if kind == "block" else None
        draw.rounded_rectangle((at[0], at[1], at[2], at[3]), at[4], fill=fill, outline=255, width=stroke)
    elif kind == "arc":
        x, y, radius = at[0], at[1], at[2] + half
        draw.arc((x - radius, y - radius, x + radius, y + radius), grid[3], grid[4], fill=255, width=stroke)
