"""Find errors in the layout of a figure, such as text that is cut off or covers data."""

import numpy as np
from matplotlib.colors import to_hex
from matplotlib.transforms import Bbox

from simgin.report import figures

PHONE_WIDTH_PIXELS, PAGE_MARGIN_PIXELS = 390, 16  # width of a phone and margin of a page, in pixels
MIN_FONT_PIXELS = 8  # minimum font size on a phone, in pixels
BOX_TOLERANCE_PIXELS = 2  # tolerance in pixels, because glyphs are narrower than their boxes


def list_visible_texts(figure):
    """Return all visible texts of a figure."""
    texts = [*figure.texts]  # The texts include the title and the caption.
    for axes in figure.axes:
        if not axes.get_visible():
            continue
        texts += [axes.title, axes._left_title, *axes.texts]
        texts += [axes.xaxis.label, axes.yaxis.label]
        for axis in (axes.xaxis, axes.yaxis):
            low, high = sorted(axis.get_view_interval())
            for tick in axis.get_major_ticks():
                if low - 1e-9 <= tick.get_loc() <= high + 1e-9:
                    texts += [tick.label1, tick.label2]
        legend = axes.get_legend()
        if legend is not None:
            texts += legend.get_texts()
    return [text for text in texts if is_drawn(text)]


def is_drawn(text):
    return text.get_visible() and text.get_text().strip()


def shrink_box(box):
    """Return a box that is smaller by the tolerance on each side."""
    return Bbox.from_extents(
        box.x0 + BOX_TOLERANCE_PIXELS,
        box.y0 + BOX_TOLERANCE_PIXELS,
        box.x1 - BOX_TOLERANCE_PIXELS,
        box.y1 - BOX_TOLERANCE_PIXELS,
    )


def iter_data_paths(axes):
    """Yield the path of each data element in pixels, and True if the path is filled.

    Reference lines, below everything else, are not data.
    """
    for line in axes.lines:
        if line.get_zorder() <= 1:
            continue
        path = line.get_path().transformed(line.get_transform())
        if not len(path.vertices):
            continue
        if line.get_linestyle() != "None":
            yield path, False
        if line.get_marker() not in ("None", None, ""):
            half = line.get_markersize() / 2 * axes.figure.dpi / 72
            for x, y in path.vertices[np.isfinite(path.vertices).all(axis=1)]:
                corners = [(x - half, y - half), (x + half, y - half)]
                corners += [(x + half, y + half), (x - half, y + half)]
                yield type(path)(corners, closed=False), True
    for patch in axes.patches:
        yield patch.get_path().transformed(patch.get_transform()), True
    for collection in axes.collections:
        for path in collection.get_paths():
            yield path.transformed(collection.get_transform()), len(path.vertices) > 2


def covers_data(box, axes):
    """Return True if the box of a text overlaps the data drawn in `axes`."""
    inside = Bbox.intersection(box, axes.bbox)
    if inside is None or not inside.width or not inside.height:
        return False
    return any(path.intersects_bbox(inside, filled) for path, filled in iter_data_paths(axes))


def find_layout_errors(figure):
    """Return a message for each layout error of a figure."""
    figure.draw_without_rendering()
    texts = list_visible_texts(figure)
    errors = []
    boxes = [shrink_box(text.get_window_extent()) for text in texts]
    for text, box in zip(texts, boxes, strict=True):
        words = text.get_text()
        if box.x0 < 0 or box.y0 < 0 or box.x1 > figure.bbox.x1 or box.y1 > figure.bbox.y1:
            errors.append(f"outside: {words!r}")
        if to_hex(text.get_color()) in (figures.DARKEST_COLOUR, figures.LIGHTEST_COLOUR):
            continue
        for axes in figure.axes:
            if axes.get_visible() and covers_data(box, axes):
                errors.append(f"on data: {words!r}")
    for i, j in find_overlapping_pairs(boxes):
        errors.append(f"overlap: {texts[i].get_text()!r} and {texts[j].get_text()!r}")
    pixels = (PHONE_WIDTH_PIXELS - 2 * PAGE_MARGIN_PIXELS) / (
        72 * figure.get_figwidth()
    )  # of a point
    small = [text.get_text() for text in texts if text.get_fontsize() * pixels < MIN_FONT_PIXELS]
    errors += [f"too small on a phone: {words!r}" for words in small]
    return errors + find_misplaced_legends(figure)


def find_overlapping_pairs(boxes):
    """Return the pairs of indices of boxes that overlap."""
    edges = np.array([box.extents for box in boxes])
    x0, y0, x1, y1 = edges.T
    apart = (x1[:, None] <= x0) | (x1 <= x0[:, None]) | (y1[:, None] <= y0) | (y1 <= y0[:, None])
    together = np.argwhere(~apart)
    return [(i, j) for i, j in together if i < j]


def find_misplaced_legends(figure):
    """Return a message for each legend that covers a panel or leaves the figure."""
    panels = [axes.bbox for axes in figure.axes if axes.get_visible()]
    errors = []
    for axes in figure.axes:
        legend = axes.get_legend()
        if legend is None:
            continue
        box = legend.get_window_extent()
        if any(box.overlaps(panel) for panel in panels) or box.x1 > figure.bbox.x1:
            errors.append("a legend covers a panel or leaves the figure")
    return errors
