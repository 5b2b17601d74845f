"""Check sentences about results with patterns that are independent of the code."""

import re

SIGNED_WORDS = (
    "gains?|loses?|costs?|beats|trails|leads|by|gain of|loss of|lead of|deficit of|advantage of"
)
DIRECTIONS = "more|fewer|less|higher|lower"
NEGATIONS = r"\b(?:no|none|not|never|nobody)\b"
PLURALS = "pairs|comparisons|triads|times|strategies|steps|matches|deals|matchups|findings"
NUMBER = r"\d[\d,]*(?:\.\d+)?"
ERROR_PATTERNS = {
    "a minus after a word that says which way": rf"\b(?:{SIGNED_WORDS}) -\d",
    "a minus before a word that says which way": rf"-{NUMBER}(?:[^.;:(]|\.\d)*\b(?:{DIRECTIONS})\b",
    "a per cent more or less": rf"% (?:{DIRECTIONS})\b",
    "more or less by": rf"\b(?:{DIRECTIONS}) by\b",
    "two negations": rf"{NEGATIONS}[^.;:,]*{NEGATIONS}",
    "one of several": rf"(?<![\d.,])1 (?:{PLURALS})\b|\bnone of 1\b",
    "a name of the code": r"\b[a-z]+_[a-z]+\b",
    "a number that is none": r"\bnan\b|\binf\b|-0\b(?!\.)",
    "spaces": r"  | [.,;:]",
}
ESTIMATE = re.compile(rf"± {NUMBER}(?= ?%| [a-z]| Elo)")
ELO = re.compile(rf"Elo -?{NUMBER} ± {NUMBER}")
DIFFERENCE = re.compile(rf"\(difference {NUMBER} ± {NUMBER}\)")


def find_sentence_errors(text):
    found = [name for name, pattern in ERROR_PATTERNS.items() if re.search(pattern, text)]
    with_unit = len(ESTIMATE.findall(text))
    with_unit += len(ELO.findall(text)) + len(DIFFERENCE.findall(text))
    if with_unit < text.count("±"):
        found.append("an estimate without its unit")
    if not text.endswith("."):
        found.append("no end")
    return found
