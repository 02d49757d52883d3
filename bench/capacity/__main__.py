"""What do 10 thousand, 1 million and 100 million accounts need? `python -m bench.capacity`

Measures here what one of each thing costs, holds the model against a community that really runs,
and prints tables; with `--write` it puts them into docs/capacity.md.
"""

import argparse
import os
import sys
from pathlib import Path

from tqdm import tqdm

from bench import frame

PAGE = Path("docs/capacity.md")
BEGIN, END = "<!-- measured: begin -->", "<!-- measured: end -->"
SIZES = (10_000, 1_000_000, 100_000_000)
PEOPLE, SAMPLE = 2_000, 50_000


def main() -> None:
    options = parsed_arguments()
    with frame.temporary_site(database=options.database), frame.embedded_redis():
        text = measured(options.people)
    print(f"\n{text}", flush=True)
    if options.write:
        write(text)
    os._exit(0)  # threads of what was measured may hold the interpreter open


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench.capacity", description=__doc__)
    parser.add_argument("--people", type=int, default=PEOPLE, help="of the community that is made")
    parser.add_argument("--write", action="store_true", help=f"put the tables into {PAGE}")
    parser.add_argument("--database", type=Path, help="begin with a copy of this migrated one")
    return parser.parse_args()


def measured(people: int) -> str:
    # Only now: models can't be imported before Django is set up.
    from bench.capacity import model, tables
    from bench.capacity.community import check_model
    from bench.capacity.costs import measure_costs
    from bench.capacity.habits import Habits, typical_people

    habits = Habits()
    with tqdm(total=3, desc="capacity", unit=" steps", disable=None) as bar:
        costs = measure_costs()
        bar.update()
        checks = check_model(costs, people=people)
        bar.update()
        sites = [
            model.needs(users, typical_people(users, habits, count=SAMPLE), habits, costs)
            for users in SIZES
        ]
        bar.update()
    return tables.page(costs, checks, sites, habits)


def write(text: str) -> None:
    before, found, rest = PAGE.read_text().partition(BEGIN)
    if not found:
        sys.exit(f"{PAGE} has no line {BEGIN}: where should the tables go?")
    after = rest.partition(END)[2]
    PAGE.write_text(f"{before}{BEGIN}\n{text}{END}{after}")
    print(f"{PAGE} is written")


if __name__ == "__main__":
    main()
