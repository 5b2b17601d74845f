"""Commands that take a name and have subcommands beside it: `simgin variants oklahoma` and `simgin variants diff A B`."""

from __future__ import annotations

import difflib
from typing import Any

import click


class Named(click.Group):
    """A group that is its `default` command unless the first word is one of its subcommands.

    A subcommand is added with `@group.command("diff")` and needs a line in the default command's help.
    """

    def __init__(self, default: click.Command) -> None:
        super().__init__(default.name, help=default.help)
        self.default = default

    def make_context(
        self,
        info_name: str | None,
        args: list[str],
        parent: click.Context | None = None,
        **extra: Any,
    ) -> click.Context:
        """The context of the subcommand's group, or that of the default command."""
        if args and args[0] in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        words = [word for word in args if not word.startswith("-")]
        if len(words) > 1 and (near := difflib.get_close_matches(words[0], self.commands, n=1)):
            raise click.UsageError(
                f"there is no command {words[0]!r}; did you mean `simgin {info_name} {near[0]}`?"
            )
        return self.default.make_context(info_name, args, parent, **extra)
