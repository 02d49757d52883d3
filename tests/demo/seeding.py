"""A small community, in the stores of the test."""

from io import StringIO

from django.core.management import call_command

from demo.community import Sizes

AGREE = "Redis agrees with SQL\n"
SMALL = Sizes(users=40, statuses=600, days=7, seed=3)


def seed(**options: int) -> str:
    out = StringIO()
    sizes = {"users": 30, "statuses": 200, "days": 5, "seed": 3} | options
    call_command("seed_demo", stdout=out, **sizes)
    return out.getvalue()


def checked() -> str:
    out = StringIO()
    call_command("check_timelines", stdout=out)
    return out.getvalue()
