"""Common style of all plots: size, colours, titles, captions and image files.

Figures are narrow enough for a phone in portrait orientation. Colours are suitable for colour-blind
readers. Every series has a separate marker or dash pattern, which is visible in greyscale prints.
The global state of pyplot is not changed.
"""

from simgin.report.figures.layout import *
from simgin.report.figures.marks import *
from simgin.report.figures.style import *
