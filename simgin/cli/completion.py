"""Shell completion of specs such as `gold+knock=at`, without importing the engine."""

import os
import re
from collections.abc import Iterator

from click import shell_completion


def complete_variant(word: str) -> Iterator[str]:
    """Yield completions of a variant spec: variant names or, after "+", rule parameters."""
    from simgin.rules import variants
    from simgin.rules.parameters import load_rule_parameters

    prefix, separator, last_part = word.rpartition("+")
    name, equals_sign, _ = last_part.partition("=")
    if equals_sign and name in load_rule_parameters():
        yield from (f"{prefix}+{name}={value}" for value in variants.suggest_values(name))
    else:
        yield from (f"{prefix}{separator}{variant}" for variant in variants.variant_names())
        yield from (f"{prefix}+{parameter}=" for parameter in load_rule_parameters() if separator)


def complete_strategy(word: str) -> Iterator[str]:
    """Yield completions of a strategy spec: strategy names or, after "+", slots or policies."""
    from simgin.strategy import cast, catalogue

    prefix, separator, _ = word.rpartition("+")
    if not separator:
        yield from (*catalogue.list_strategies_by_strength(), *cast.NAMED_PLAYER_TYPES)
        return
    for slot, names in catalogue.list_policy_names().items():
        slot_spec = f"{prefix}+{slot}="
        yield from [slot_spec + name for name in names if word.startswith(slot_spec)] or [slot_spec]


@shell_completion.add_completion_class
class SplitBashComplete(shell_completion.BashComplete):
    """Shell completion for bash, which splits words at "=" and ":"."""

    source_template = shell_completion.BashComplete.source_template.replace(
        "    return 0", "    [[ ${COMPREPLY[0]} == *= ]] && compopt -o nospace\n    return 0", 1
    )

    def get_completion_args(self) -> tuple[list[str], str]:
        """Return the words before the cursor, and the whole word at the cursor."""
        words = [*shell_completion.split_arg_string(os.environ["COMP_WORDS"]), ""]
        line = "\n".join(words[: int(os.environ["COMP_CWORD"]) + 1])
        pieces = re.sub(r"\n([=:]+)(?:\n|$)", r"\1", line).split("\n")
        return pieces[1:-1], pieces[-1]

    def get_completions(
        self, args: list[str], incomplete: str
    ) -> list[shell_completion.CompletionItem]:
        """Return the completions of the word, without its text up to the last "=" or ":"."""
        completions = super().get_completions(args, incomplete)
        typed_word = incomplete.partition("=")[2] if incomplete.startswith("-") else incomplete
        prefix_length = 1 + max(typed_word.rfind("="), typed_word.rfind(":"))
        for completion in completions:
            completion.value = completion.value[prefix_length * (completion.type == "plain") :]
        return completions
