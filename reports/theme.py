"""One look for every picture: legible in print, in grey, and to colour-blind eyes.

Pictures are made with `matplotlib.figure.Figure`, never pyplot, so that nothing global is touched.
The same picture gives the same bytes: no date, and ids from a fixed salt.
"""

from __future__ import annotations

import io
import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

from reports.publishing import drafts_in
from sim.store.files import replace_whole

if TYPE_CHECKING:
    from matplotlib.figure import Figure

INK = "#1A1A1A"
QUIET = "#5F5F5F"
DIM = "#8C8C8C"
RULE = "#BDBDBD"
BAND = "#E4E4E4"

BLUE, ORANGE, GREEN, PURPLE = "#0072B2", "#B35900", "#007A5A", "#8A3D73"
"""Okabe and Ito's hues, darkened where they fall below 3:1 on white."""

DPI = 200

RC: Any = {
    "svg.fonttype": "none",
    "svg.hashsalt": "elewenjewe",
    "font.family": "sans-serif",
    "font.sans-serif": ["DejaVu Sans"],
    "font.size": 9,
    "axes.titlesize": 9.5,
    "axes.titleweight": "bold",
    "axes.labelsize": 9,
    "axes.labelcolor": INK,
    "axes.edgecolor": RULE,
    "axes.linewidth": 0.8,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "axes.axisbelow": True,
    "axes.formatter.use_mathtext": False,
    "axes.unicode_minus": True,
    "text.color": INK,
    "text.parse_math": False,
    "xtick.color": QUIET,
    "ytick.color": INK,
    "xtick.labelsize": 8,
    "ytick.labelsize": 8.5,
    "figure.facecolor": "white",
    "legend.frameon": False,
    "legend.fontsize": 8.5,
}


@dataclass(frozen=True)
class Mark:
    """How one variant is drawn: colour, and shape for eyes that cannot use it."""

    colour: str
    marker: str
    filled: bool


def mark(index: int) -> Mark:
    """Return the mark of the variant at `index`; the first 12 differ in colour or shape."""
    colours, markers = (BLUE, ORANGE, GREEN, PURPLE), ("o", "s", "D", "^")
    lap = index // len(colours)
    return Mark(colours[index % 4], markers[(index + lap) % 4], filled=lap % 2 == 0)


@contextmanager
def style() -> Iterator[None]:
    """Draw in this theme; letters that the font lacks are no cause for a warning."""
    import matplotlib

    with matplotlib.rc_context(), warnings.catch_warnings():
        warnings.filterwarnings("ignore", "Glyph .* missing from font")
        matplotlib.rcParams.update(RC)
        yield


def figure(width: float, height: float) -> Figure:
    """Return an empty figure; sizes in inches."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height))


def text_width(text: str, bold: bool = False) -> float:
    """Return the width of a row's name, in inches; of several lines, that of the widest."""
    from matplotlib.font_manager import FontProperties
    from matplotlib.textpath import text_to_path

    font = FontProperties(weight="bold" if bold else "normal", size=RC["ytick.labelsize"])
    widths = (
        text_to_path.get_text_width_height_descent(line, font, ismath=False)[0]
        for line in text.split("\n")
    )
    return max(map(float, widths)) / 72


def save(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write `name`.svg and `name`.png into `folder`, each whole; return their paths."""
    return _publish(figure, folder, name, {"svg": {"Date": None}, "png": {"Software": None}})


def save_for_print(figure: Figure, folder: Path, name: str) -> list[Path]:
    """Write `name`.png and `name`.pdf into `folder`, on white; the same picture, the same bytes."""
    with style():
        metadata = {"png": {"Software": None}, "pdf": {"CreationDate": None}}
        return _publish(figure, folder, name, metadata)


def _publish(figure: Figure, folder: Path, name: str, metadata: Mapping[str, Any]) -> list[Path]:
    paths = [folder / f"{name}.{kind}" for kind in metadata]
    with drafts_in(folder) as drafts:
        for path, (kind, own) in zip(paths, metadata.items(), strict=True):
            buffer = io.BytesIO()
            figure.savefig(buffer, format=kind, dpi=DPI, metadata=own)
            replace_whole(path, buffer.getvalue(), drafts)
    return paths
