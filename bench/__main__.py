"""`python -m bench` runs every benchmark, `python -m bench fan_out` one of them."""

import argparse
import contextlib
import importlib
import os
import subprocess
import sys
import time
from pathlib import Path

from bench import frame, report

# In the order of the questions in docs/benchmarks.md.
NAMES = (
    *("fan_out", "fan_out_cluster", "boosts", "posting", "posting_http", "deeds"),
    *("home", "pages", "threads", "follow"),
    *("completion", "interests", "search"),
    *("queue", "recovery", "stream", "insight", "places", "memory", "structures", "growth"),
)
ON_A_CLUSTER = {"fan_out_cluster"}


def main() -> None:
    options = parsed_arguments()
    if len(options.names) == 1:
        run_here(options.names[0], options)
    else:
        sys.exit(run_each(options))


def parsed_arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m bench", description=__doc__)
    parser.add_argument("names", nargs="*", metavar="NAME", help=f"of {', '.join(NAMES)}")
    parser.add_argument("--scale", type=float, default=1.0, help="0.01: a hundredth of the sizes")
    parser.add_argument("--into", type=Path, default=report.FOLDER, help="folder of the JSON files")
    parser.add_argument("--database", type=Path, help="begin with a copy of this migrated one")
    options = parser.parse_args()
    options.names = options.names or list(NAMES)
    if unknown := set(options.names) - set(NAMES):
        parser.error(f"unknown benchmarks {sorted(unknown)}: there are {', '.join(NAMES)}")
    return options


def run_each(options: argparse.Namespace) -> str | None:
    """Each in a process of its own, so that none inherits another's caches."""
    began, failed = time.monotonic(), []
    for name in options.names:
        print(f"\n── {name} ──", flush=True)
        arguments = [name, "--scale", str(options.scale), "--into", str(options.into)]
        arguments += ["--database", str(options.database)] if options.database else []
        if subprocess.run([sys.executable, "-m", "bench", *arguments], check=False).returncode:
            failed.append(name)
    print(f"\nall in {time.monotonic() - began:.0f} s")
    return f"these failed: {', '.join(failed)}" if failed else None


def run_here(name: str, options: argparse.Namespace) -> None:
    began = time.monotonic()
    with contextlib.ExitStack() as stack:
        url = stack.enter_context(frame.redis_cluster()) if name in ON_A_CLUSTER else None
        stores = frame.stage(options.scale, redis_url=url, database=options.database)
        stage = stack.enter_context(stores)
        # Only now: models can't be imported before Django is set up.
        figures = importlib.import_module(f"bench.{name}").measure(stage)
    report.show(figures)
    path = report.write(name, figures, options.into)
    print(f"\nwritten to {path} after {time.monotonic() - began:.0f} s", flush=True)
    os._exit(0)  # threads of what was measured may hold the interpreter open


if __name__ == "__main__":
    main()
