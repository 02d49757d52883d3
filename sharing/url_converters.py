from datetime import date

from redistools.ids import EPOCH, LAST_MOMENT


class DayConverter:
    regex = "[0-9]{4}-[0-9]{2}-[0-9]{2}"

    def to_python(self, value: str) -> date:
        """Raises ValueError, which makes it a 404."""
        day = date.fromisoformat(value)
        if not EPOCH.date() <= day <= LAST_MOMENT.date():
            raise ValueError(f"{value} is not between {EPOCH:%Y} and {LAST_MOMENT:%Y}")
        return day

    def to_url(self, value: date) -> str:
        return value.isoformat()
