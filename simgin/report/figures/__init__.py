"""Common style of all plots: size, colours, titles, captions and image files.

Figures are narrow enough for a phone in portrait orientation. Colours are suitable for colour-blind
readers. Every series has its own marker or dash pattern, so it can be identified in greyscale.
The global state of pyplot is not changed.
"""

from simgin.report.figures.layout import *
from simgin.report.figures.marks import *
from simgin.report.figures.style import *
