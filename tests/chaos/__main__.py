"""`python -m tests.chaos --seed 7 --seconds 300` breaks a site, and looks at what is left of it."""

import argparse
import logging
import os
import sys

import django


def main() -> None:
    parser = argparse.ArgumentParser(prog="python -m tests.chaos", description=__doc__)
    parser.add_argument("--seed", type=int, default=1, help="the same seed kills the same")
    parser.add_argument("--seconds", type=float, default=60.0, help="how long processes are killed")
    asked = parser.parse_args()
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "tests.settings")
    django.setup()
    logging.getLogger("httpx").setLevel(logging.WARNING)

    from .run import run  # needs Django's settings

    outcome = run(seed=asked.seed, seconds=asked.seconds)
    print(outcome)
    for line in outcome.findings:
        print(line)
    sys.exit(not outcome.is_good)


if __name__ == "__main__":
    main()
