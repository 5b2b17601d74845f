"""The common look of all plots: size, colours, titles, captions, and how a figure becomes a file.

Figures are narrow enough for a phone held upright. Colours are safe for colour-blind readers, and
every series has its own marker or dash for print in grey. pyplot's global state is never touched.
"""

from simgin.report.figures.layout import *
from simgin.report.figures.marks import *
