"""Error messages of other packages, reworded for the pages.

The messages are written for the command line, so some of them name options and commands. The pages
have fields instead.
"""

import re

from simgin.analysis.position_parts import QUOTE_PILE_ADVICE
from simgin.rules.parameters import load_rule_parameters
from simgin.text.messages import capitalize_first

OPTION_PREFIX_PATTERN = re.compile(r"^--[a-z-]+: ")
FIRST_WORD_PATTERN = re.compile(r"^\w+")
# parts of messages about options and commands, with the corresponding text about fields
FIELD_TEXTS = {
    "To list all variants, run `simgin variants`.": "Choose a built-in variant.",
    "To list all strategies, run `simgin strategies`.": "Choose a built-in strategy.",
    " See `simgin variants standard` for all of them.": " Omit it.",
    "Use `simgin odds` for solitaire variants.": "For solitaire variants, use the page Odds.",
    "--score requires a variant with a target score. Omit --score for this variant.": (
        "This variant has no target score. Leave the score empty."
    ),
    "Increase --deals or": "Increase the number of deals, or",
    "Use --seed, --unit and --deal instead of the file": "Choose another deal",
    "for example, --stock 20": "for example, a stock of 20",
    "for example --pile ": "for example ",
    "Use the dealer me.": "Choose You as the dealer.",
    "Use the dealer other.": "Choose Your opponent as the dealer.",
    "Use the owner nobody for a die that shows 1, otherwise me or other.": (
        "Choose Neither player for a die that shows 1, otherwise You or Your opponent."
    ),
    "is not a valid stake": "is not a valid number on the die",
    QUOTE_PILE_ADVICE: "",
}


def reword_error(message: str) -> str:
    """Return an error message for a page, with fields instead of options and commands."""
    message = OPTION_PREFIX_PATTERN.sub("", message)
    for command_text, field_text in FIELD_TEXTS.items():
        message = message.replace(command_text, field_text)
    return "\n".join(map(_begin_sentence, message.split("\n")))


def _begin_sentence(line: str) -> str:
    """Capitalise a line, and replace a rule parameter at its beginning with its field label."""
    first_word = FIRST_WORD_PATTERN.match(line)
    if first_word and first_word[0] in load_rule_parameters():
        line = first_word[0].replace("_", " ") + line[first_word.end() :]
    return capitalize_first(line)
