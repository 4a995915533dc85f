"""Pictures inside the page: matplotlib's SVG made fit for a strict content-security policy.

Its inline styles become classes of one stylesheet, its colours become the page's, so that a picture
follows light and dark; ids are prefixed, because several pictures share the page.
"""

from __future__ import annotations

import io
import re
from typing import TYPE_CHECKING

from reports import theme

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLOURS = {
    theme.INK: "ink",
    theme.QUIET: "quiet",
    theme.DIM: "dim",
    theme.RULE: "rule",
    theme.BAND: "band",
    theme.BLUE: "c1",
    theme.ORANGE: "c2",
    theme.GREEN: "c3",
    theme.PURPLE: "c4",
    "#FFFFFF": "paper",
}
"""The theme's colours -> the page's variables."""

_STYLE = re.compile(r' style="([^"]*)"')
_ID = re.compile(r'(\sid="|url\(#|xlink:href="#)')
_HEX = re.compile(r"#[0-9a-fA-F]{6}\b")


class Styles:
    """Collects the inline styles of many pictures as classes."""

    def __init__(self) -> None:
        self._classes: dict[str, str] = {}

    def name(self, style: str) -> str:
        """Return the class that stands for a style."""
        coloured = _HEX.sub(_variable, style)
        return self._classes.setdefault(coloured, f"g{len(self._classes)}")

    def css(self) -> str:
        """Return the stylesheet of all classes."""
        return "\n".join(f".{name}{{{style}}}" for style, name in self._classes.items())


def _variable(found: re.Match[str]) -> str:
    colour = found[0]
    name = COLOURS.get(colour.upper())
    return f"var(--{name})" if name else colour


def svg(figure: Figure, key: str, styles: Styles) -> str:
    """Return a picture as an ``svg`` element; its width in inches becomes its natural width.

    Args:
        figure: the picture.
        key: what its ids begin with, another for each picture of a page.
        styles: where its inline styles go.
    """
    figure.patch.set_visible(False)
    for axes in figure.axes:
        axes.patch.set_visible(False)
    buffer = io.StringIO()
    with theme.style():
        figure.savefig(buffer, format="svg", metadata={"Date": None})
    text = buffer.getvalue()
    text = text[text.index("<svg") :]
    text = re.sub(r"<metadata>.*?</metadata>", "", text, flags=re.S)
    text = re.sub(r"<style[^>]*>.*?</style>", "", text, flags=re.S)
    text = _ID.sub(rf"\g<1>{key}-", text)
    text = _STYLE.sub(lambda found: f' class="{styles.name(found[1])}"', text)
    return re.sub(r"<svg[^>]*>", lambda found: _opened(found[0]), text, count=1)


def _opened(tag: str) -> str:
    """Return the opening tag with nothing but its size; the page names the picture."""
    box = re.search(r'viewBox="([^"]*)"', tag)
    assert box is not None  # matplotlib always writes one
    _, _, width, height = box[1].split()
    size = f'width="{float(width) * 4 / 3:.0f}" height="{float(height) * 4 / 3:.0f}"'
    return (
        '<svg xmlns="http://www.w3.org/2000/svg" xmlns:xlink="http://www.w3.org/1999/xlink" '
        f'{size} viewBox="{box[1]}" aria-hidden="true" focusable="false">'
    )
