"""The part of a picture that somebody has chosen before they sent it."""

from typing import TYPE_CHECKING, NamedTuple, Self

if TYPE_CHECKING:
    from django.core.exceptions import ValidationError

# A hundredth of the side: nobody chooses less, and every picture has a pixel there.
SMALLEST = 0.01


class Crop(NamedTuple):
    """Edges as fractions of the width and the height of the upright picture."""

    left: float = 0.0
    top: float = 0.0
    right: float = 1.0
    bottom: float = 1.0

    @classmethod
    def read(cls, written: str) -> Self:
        """Four numbers with blanks between them. Raises ValidationError."""
        try:
            left, top, right, bottom = map(float, written.split())
        except ValueError:
            raise _refusal() from None
        crop = cls(left, top, right, bottom)
        # NaN fails these comparisons too.
        for low, high in ((crop.left, crop.right), (crop.top, crop.bottom)):
            if not (low >= 0 and high <= 1 and high - low >= SMALLEST):
                raise _refusal()
        return crop

    def turned(self, orientation: int | None) -> Self:
        """On the picture as its file has it, by the orientation that a camera noted (Exif)."""
        turn = TURNED.get(orientation or 1)
        if turn is None:
            return self
        corners = turn(self.left, self.top), turn(self.right, self.bottom)
        (left, right), (top, bottom) = (sorted(it) for it in zip(*corners, strict=True))
        return type(self)(left, top, right, bottom)

    def whole_of(self, size: tuple[int, int]) -> tuple[int, int]:
        """How large the picture has to be for this part to have a size."""
        width, height = size
        return int(width / (self.right - self.left)), int(height / (self.bottom - self.top))

    def pixels(self, size: tuple[int, int]) -> tuple[int, int, int, int]:
        width, height = size
        left, top = int(self.left * (width - 1)), int(self.top * (height - 1))
        right, bottom = round(self.right * width), round(self.bottom * height)
        return left, top, max(right, left + 1), max(bottom, top + 1)


WHOLE = Crop()
# Where a point of the upright picture is in the file, for each orientation.
TURNED = {
    2: lambda x, y: (1 - x, y),
    3: lambda x, y: (1 - x, 1 - y),
    4: lambda x, y: (x, 1 - y),
    5: lambda x, y: (y, x),
    6: lambda x, y: (y, 1 - x),
    7: lambda x, y: (1 - y, 1 - x),
    8: lambda x, y: (1 - y, x),
}


def _refusal() -> "ValidationError":
    # Not above: `decoder.py` imports this module in a process that knows nothing of the site.
    from django.core.exceptions import ValidationError
    from django.utils.translation import gettext as _

    words = _("The part of the picture that you chose can't be read. Choose the picture again.")
    return ValidationError(words, code="crop")
