"""The common style of all plots: size, colours, titles, captions and image files.

Figures are narrow enough for a phone in portrait orientation. Colours suit colour-blind readers,
and every series has its own marker or dash for greyscale print. pyplot's global state is never
touched.
"""

from simgin.report.figures.layout import *
from simgin.report.figures.marks import *
