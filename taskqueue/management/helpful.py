"""Commands whose `--help` is about them: our options without Django's, and examples at the end."""

import argparse
from collections.abc import Iterable
from typing import Any

from django.core.management.base import BaseCommand, CommandParser, DjangoHelpFormatter


class HelpFormatter(DjangoHelpFormatter):
    """Django's own options work on every command; `manage.py check --help` lists them."""

    def add_usage(self, usage: Any, actions: Iterable[argparse.Action], *args: Any) -> None:
        super().add_usage(usage, self._ours(actions), *args)

    def add_arguments(self, actions: Iterable[argparse.Action]) -> None:
        super().add_arguments(self._ours(actions))

    def _ours(self, actions: Iterable[argparse.Action]) -> list[argparse.Action]:
        return [one for one in actions if not self.show_last.intersection(one.option_strings)]

    def _fill_text(self, text: str, width: int, indent: str) -> str:
        """Prose is wrapped; examples, which are indented, stay as they are."""
        return "\n\n".join(
            part if "\n  " in part else super(HelpFormatter, self)._fill_text(part, width, indent)
            for part in text.split("\n\n")
        )


class HelpfulCommand(BaseCommand):
    examples: tuple[str, ...] = ()  # `manage.py worker --burst    run what is ready, then stop`
    afterword = ""

    def create_parser(self, prog_name: str, subcommand: str, **kwargs: Any) -> CommandParser:
        epilog = "\n  ".join(["examples:", *self.examples]) + f"\n\n{self.afterword}"
        kwargs |= {"epilog": epilog.strip(), "formatter_class": HelpFormatter}
        return super().create_parser(prog_name, subcommand, **kwargs)
