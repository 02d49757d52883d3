"""Pictures for some of the people: simple shapes, the same ones for the same name."""

import colorsys
import math
from collections.abc import Callable, Iterator
from random import Random

from PIL import Image, ImageDraw

from pictures.kinds import PictureKind, new_token
from pictures.making import encode
from users.models import User
from users.pictures.kinds import AVATAR, HEADER, PICTURES

# Of the others, initials are shown.
SHARE_WITH_AVATAR, SHARE_WITH_HEADER = 0.35, 0.1
# Drawing takes longer than everything else about a person: a town needs no more than a village.
MOST_AVATARS, MOST_HEADERS = 80, 16
# Small ones are drawn larger, so that edges are smooth.
SCALES = {AVATAR: 2, HEADER: 1}

Colour = tuple[int, int, int]
Draw = Callable[[ImageDraw.ImageDraw, Random, int, int], None]


def choose(usernames: list[str]) -> dict[PictureKind, list[int]]:
    chances = [_chance(name) for name in usernames]
    draws = [(chance.random(), chance.random()) for chance in chances]
    avatars = [place for place, (one, _) in enumerate(draws) if one < SHARE_WITH_AVATAR]
    headers = [place for place, (_, two) in enumerate(draws) if two < SHARE_WITH_HEADER]
    return {AVATAR: avatars[:MOST_AVATARS], HEADER: headers[:MOST_HEADERS]}


def give(users: list[User], chosen: dict[PictureKind, list[int]]) -> Iterator[int]:
    """Yields 1 after each. The tokens are random, the pictures are not."""
    for kind, places in chosen.items():
        for place in places:
            token = new_token()
            encode(kind, drawn(kind, users[place].username)).save(token)
            setattr(users[place], kind.column, token)
            yield 1


def take_back(users: list[User]) -> None:
    for user in users:
        for kind in PICTURES:
            if token := getattr(user, kind.column):
                kind.delete(token)


def drawn(kind: PictureKind, name: str) -> Image.Image:
    chance, shape = _chance(f"{kind.name} of {name}"), (kind.width, kind.height)
    width, height = SCALES[kind] * kind.width, SCALES[kind] * kind.height
    hue = chance.random()
    image = _gradient(_colour(hue, 0.45, 0.95), _colour(hue + 0.12, 0.6, 0.75), width, height)
    pen = ImageDraw.Draw(image, "RGBA")
    chance.choice(HEADERS if kind is HEADER else AVATARS)(pen, chance, width, height)
    return image.resize(shape, Image.Resampling.LANCZOS)


def _chance(name: str) -> Random:
    return Random(name)  # noqa: S311 - it must repeat, and keeps no secret


def _colour(hue: float, saturation: float, value: float) -> Colour:
    red, green, blue = colorsys.hsv_to_rgb(hue % 1, saturation, value)
    return round(255 * red), round(255 * green), round(255 * blue)


def _gradient(top: Colour, bottom: Colour, width: int, height: int) -> Image.Image:
    size = (width, height)
    fade = Image.linear_gradient("L").resize(size)
    return Image.composite(Image.new("RGB", size, bottom), Image.new("RGB", size, top), fade)


def _hills(pen: ImageDraw.ImageDraw, chance: Random, width: int, height: int) -> None:
    hue, side = chance.random(), height // 5
    x, y = chance.randint(width // 5, 4 * width // 5), chance.randint(height // 5, height // 2)
    pen.ellipse((x - side, y - side, x + side, y + side), fill=(255, 244, 214, 235))
    for ridge in range(3):
        ground, swing = height * (0.5 + 0.17 * ridge), height * chance.uniform(0.05, 0.12)
        phase, pace = chance.uniform(0, 6), chance.uniform(1.5, 3.5)
        edge = [
            (x, ground + swing * math.sin(phase + pace * 2 * math.pi * x / width))
            for x in range(0, width + 8, 8)
        ]
        fill = _colour(hue, 0.55, 0.7 - 0.2 * ridge)
        pen.polygon([(0, height), *edge, (width, height)], fill=fill)


def _rings(pen: ImageDraw.ImageDraw, chance: Random, width: int, height: int) -> None:
    hue, x, y = chance.random(), chance.randint(0, width), chance.randint(0, height)
    for ring in range(7, 0, -1):
        reach = ring * max(width, height) // 9
        fill = (*_colour(hue + 0.05 * ring, 0.55, 0.95 - 0.07 * ring), 150)
        pen.ellipse((x - reach, y - reach, x + reach, y + reach), fill=fill)


def _tiles(pen: ImageDraw.ImageDraw, chance: Random, width: int, height: int) -> None:
    side, hue = height // 4, chance.random()
    for left in range(0, width, side):
        for top in range(0, height, side):
            x, y = left + chance.choice((0, side)), top + chance.choice((0, side))
            box = (x - side, y - side, x + side, y + side)
            quarter = (0 if y == top else 180) + (0 if (x == left) == (y == top) else 90)
            fill = (*_colour(hue + chance.uniform(0, 0.2), 0.5, chance.uniform(0.6, 1)), 215)
            pen.pieslice(box, quarter, quarter + 90, fill=fill)


def _face(pen: ImageDraw.ImageDraw, chance: Random, side: int, _height: int) -> None:
    skin = chance.choice([(255, 219, 187), (241, 194, 152), (198, 134, 92), (141, 85, 54)])
    hair = chance.choice([(44, 34, 30), (92, 58, 33), (201, 160, 92), (120, 120, 128)])
    unit = side // 20
    shirt = _colour(chance.random(), 0.6, 0.8)
    pen.ellipse((3 * unit, 15 * unit, 17 * unit, 29 * unit), fill=shirt)
    pen.ellipse((4 * unit, 2 * unit, 16 * unit, 15 * unit), fill=hair)
    pen.ellipse((5 * unit, 4 * unit, 15 * unit, 17 * unit), fill=skin)
    for x in (8, 12):
        eye = ((x - 0.6) * unit, 9 * unit, (x + 0.6) * unit, 10.4 * unit)
        pen.ellipse(eye, fill=(40, 32, 32))
    smile = (8 * unit, 10 * unit, 12 * unit, 14 * unit)
    pen.arc(smile, 20, 160, fill=(120, 50, 50), width=max(2, unit // 2))


AVATARS: list[Draw] = [_face, _face, _hills, _rings, _tiles]
HEADERS: list[Draw] = [_hills, _hills, _rings, _tiles]
