"""Find errors in sentences about results with regular expressions."""

import re

SIGNED_WORDS = (
    "gains?|loses?|costs?|beats|trails|leads|by|gain of|loss of|lead of|deficit of|advantage of"
)
DIRECTION_WORDS = "more|fewer|less|higher|lower"
NEGATION_PATTERN = r"\b(?:no|none|not|never|nobody)\b"
PLURAL_NOUNS = "pairs|comparisons|triads|times|strategies|steps|matches|deals|matchups|findings"
NUMBER_PATTERN = r"\d[\d,]*(?:\.\d+)?"
ERROR_PATTERNS = {
    "a minus after a word that says which way": rf"\b(?:{SIGNED_WORDS}) -\d",
    "a minus before a word that says which way": (
        rf"-{NUMBER_PATTERN}(?:[^.;:(]|\.\d)*\b(?:{DIRECTION_WORDS})\b"
    ),
    "a per cent more or less": rf"% (?:{DIRECTION_WORDS})\b",
    "more or less by": rf"\b(?:{DIRECTION_WORDS}) by\b",
    "two negations": rf"{NEGATION_PATTERN}[^.;:,]*{NEGATION_PATTERN}",
    "one of several": rf"(?<![\d.,])1 (?:{PLURAL_NOUNS})\b|\bnone of 1\b",
    "a name of the code": r"\b[a-z]+_[a-z]+\b",
    "a number that is none": r"\bnan\b|\binf\b|-0\b(?!\.)",
    "spaces": r"  | [.,;:]",
}
ESTIMATE_PATTERN = re.compile(rf"± {NUMBER_PATTERN}(?= ?%| [a-z]| Elo)")
ELO_PATTERN = re.compile(rf"Elo -?{NUMBER_PATTERN} ± {NUMBER_PATTERN}")
DIFFERENCE_PATTERN = re.compile(rf"\(difference {NUMBER_PATTERN} ± {NUMBER_PATTERN}\)")


def find_sentence_errors(text):
    """Return the names of the errors in a text about results."""
    found = [name for name, pattern in ERROR_PATTERNS.items() if re.search(pattern, text)]
    with_unit = len(ESTIMATE_PATTERN.findall(text))
    with_unit += len(ELO_PATTERN.findall(text)) + len(DIFFERENCE_PATTERN.findall(text))
    if with_unit < text.count("±"):
        found.append("an estimate without its unit")
    if not text.endswith("."):
        found.append("no end")
    return found
