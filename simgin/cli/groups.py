"""Commands with a name or a subcommand: `simgin variants oklahoma`, `simgin variants diff A B`."""

from __future__ import annotations

import difflib
from typing import Any

import click


class NameOrSubcommand(click.Group):
    """A group that runs its `default` command unless the first word is one of its subcommands.

    Subcommands are added with `@group.command("diff")`. The help of the default command lists them.
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
        """The context of the group for a subcommand, else that of the default command."""
        if args and args[0] in self.commands:
            return super().make_context(info_name, args, parent, **extra)
        words = [word for word in args if not word.startswith("-")]
        if len(words) > 1:
            self._refuse_misspelt(words[0], info_name)
        return self.default.make_context(info_name, args, parent, **extra)

    def _refuse_misspelt(self, word: str, info_name: str | None) -> None:
        """Raise UsageError for a word that resembles a subcommand."""
        near = difflib.get_close_matches(word, self.commands, n=1)
        if near:
            raise click.UsageError(
                f"there is no command {word!r}; did you mean `simgin {info_name} {near[0]}`?"
            )
