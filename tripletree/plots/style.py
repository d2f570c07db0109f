"""Shared style of all pictures: colours, dashes, marker shapes, legend texts, and the checks of common arguments."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import wraps
from numbers import Real
from typing import Any, NamedTuple, ParamSpec, TypeVar

import numpy as np

from tripletree.core.checks import check_choice
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.labels import aligned_codes, series_index
from tripletree.errors import InvalidLabelsError, MissingDependencyError, UnknownLeafError
from tripletree.io.source import write_atomic_bytes
from tripletree.plots.layout import find_clade_codes, match_styles

# Seven colours that red- and green-blind readers tell apart, too: Okabe and Ito's, a pale green in place of the yellow
# that vanishes on white and of a grey. Then six more, each at a CIELAB distance of 26 or more from all others, but not
# for these readers: wherever two of the thirteen are near each other for them, dashes, shapes and hatches differ. The
# cycles of colours, dashes and shapes have lengths without a common divisor, so that 52 clusters differ and grey prints
# stay readable.
PALETTE = (
    *("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#B5CC6A"),
    *("#332288", "#999999", "#7A3E00", "#9B4DCA", "#1F5A1F", "#8C1D5E"),
)
HATCHES: tuple[Any, ...] = (None, "////", "....", "\\\\\\\\", "xxxx")
WIDTHS = {"column": 3.5, "page": 7.2}  # inches: 89 and 183 mm, which most journals ask for
DASHES: tuple[Any, ...] = ("solid", (0, (5, 1.2)), (0, (1.3, 0.9)), (0, (6, 1, 1.2, 1)))
DOTTED = (0, (0.6, 2.2))  # the branch above an open node
SHAPES = "os^DvPXp*"
LINE, MISSED = "#222222", "#B2182B"
LONGEST_LABEL = 40  # characters


def _marker_style(marker: str, filled: bool, wrong: bool = False, line: float = 1.1) -> dict[str, Any]:
    colour = MISSED if wrong else LINE
    if filled:
        return {"marker": marker, "facecolors": colour, "edgecolors": "white", "linewidths": 0.6}
    return {"marker": marker, "facecolors": "white", "edgecolors": colour, "linewidths": line}


class MergeMarker(NamedTuple):
    """A marker drawn at inner nodes.

    style : keyword arguments of ``Axes.scatter``
    size, zorder : relative size, drawing order
    side : -1, 0 or 1: before, on or after the node, so that must-links and cannot-links do not overlap
    one, many, after : legend text: singular, plural, and the text after either
    """

    style: dict[str, Any]
    size: float
    zorder: float
    side: int
    one: str
    many: str
    after: str = ""


_ACTS, _MET = " displayed: where a meets b", " not displayed: where all three have met"
#: By gid. Filled markers stand for constraints that are satisfied. Hollow red ones for those that are violated.
MERGE_MARKERS = {
    "displayed": MergeMarker(_marker_style("o", True), 1.0, 5, 0, "triplet ab|c", "triplets ab|c", _ACTS),
    "not displayed": MergeMarker(_marker_style("X", False, True), 1.35, 4, 0, "triplet ab|c", "triplets ab|c", _MET),
    "must": MergeMarker(_marker_style("^", True), 1.1, 5, -1, "must-link", "must-links", ": where the two meet"),
    "must satisfied": MergeMarker(
        _marker_style("^", True), 1.1, 5, -1, "must-link", "must-links", " satisfied: where the two meet"
    ),
    "must violated": MergeMarker(_marker_style("^", False, True), 1.3, 4, -1, "must-link", "must-links", " violated"),
    "cannot": MergeMarker(_marker_style("s", True), 0.9, 5, 1, "cannot-link", "cannot-links", ": where the two meet"),
    "cannot satisfied": MergeMarker(
        _marker_style("s", True), 0.9, 5, 1, "cannot-link", "cannot-links", " satisfied: where the two meet"
    ),
    "cannot violated": MergeMarker(
        _marker_style("s", False, True), 1.1, 4, 1, "cannot-link", "cannot-links", " violated"
    ),
    "forced": MergeMarker(
        _marker_style("D", False), 1.7, 3, 0, "merge", "merges", " forced: a nearer one was rejected"
    ),
    "delayed": MergeMarker(_marker_style("h", False), 2.3, 2.9, 0, "merge", "merges", " delayed: rejected at first"),
}


def import_pyplot(purpose: str) -> Any:
    """Import pyplot. Raise MissingDependencyError where matplotlib is not installed."""
    try:
        from matplotlib import pyplot
    except ImportError:
        raise MissingDependencyError("matplotlib", "plot", purpose) from None
    return pyplot


class LeafGroups(NamedTuple):
    """Clusters or classes of the leaves.

    codes : int64[n], the group of each leaf, -1 for none
    names : list, the name of each group
    sizes : int64[k], leaves in each group
    style : int64[k], index of each group's colour, dashes and shape (taken modulo their number)
    is_clade : bool[k], whether the leaves of the group are all leaves below some node
    """

    codes: np.ndarray
    names: list[Any]
    sizes: np.ndarray
    style: np.ndarray
    is_clade: np.ndarray

    def styles_of(self, codes: np.ndarray) -> np.ndarray:
        """The style index of each code. -1 for code -1."""
        return np.where(codes < 0, -1, np.append(self.style, -1)[codes])


def encode_groups(values: Any, tree: Hierarchy, what: str, beside: LeafGroups | None) -> LeafGroups | None:
    """Check and encode clusters or classes. Classes take the style of the cluster in `beside` they overlap most.

    A LeafGroups is returned as it is.
    """
    if values is None or isinstance(values, LeafGroups):
        return values
    codes, names = in_order(*aligned_codes(values, tree.leaves, what))
    style = np.arange(len(names))
    if beside is not None:
        style = match_styles(codes, len(names), beside.codes, len(beside.names))
    sizes = np.bincount(codes[codes >= 0], minlength=len(names))
    return LeafGroups(codes, names, sizes, style, _are_clades(tree, codes, len(names)))


def check_leaf_texts(values: Any, tree: Hierarchy, what: str) -> list[str | None] | None:
    """A text for some leaves, in leaf order, given as clusters and classes are. None for leaves without one."""
    if values is None:
        return None
    codes, names = aligned_codes(values, tree.leaves, what)
    return [None if code < 0 else str(names[code]) for code in codes.tolist()]


def leaf_names(tree: Hierarchy, second_names: Any) -> list[str]:
    """What pictures call each leaf: its label, and in brackets its second name if it has one."""
    seconds = check_leaf_texts(second_names, tree, "second_names") or [None] * tree.n_leaves
    return [str(x) if y is None else f"{x} ({y})" for x, y in zip(tree.leaves, seconds, strict=True)]


def _are_clades(tree: Hierarchy, codes: np.ndarray, k: int) -> np.ndarray:
    """Which groups are the leaves below one node: the largest clades within the group are one."""
    below = find_clade_codes(tree, codes)
    above = np.append(below[tree.parent[:-1]], -1)
    return np.bincount(below[(below >= 0) & (above != below)], minlength=k) == 1


def in_order(codes: np.ndarray, names: list[Any]) -> tuple[np.ndarray, list[Any]]:
    """Number groups as legends list them: numbers in their order, others from the largest group to the smallest."""
    if all(isinstance(x, Real) for x in names):
        order = sorted(range(len(names)), key=lambda k: float(names[k]))
    else:
        order = np.argsort(-np.bincount(codes[codes >= 0], minlength=len(names)), kind="stable").tolist()
    place = np.empty(len(names) + 1, np.int64)
    place[order], place[-1] = np.arange(len(names)), -1
    return place[codes], [names[k] for k in order]


def check_leaf_values(values: Any, tree: Hierarchy) -> np.ndarray | None:
    """Check `values`, and return float64[n] in leaf order, NaN for missing.

    A mapping, or a Series indexed by leaf labels, is aligned by label. Any other sequence is in leaf order.
    """
    if values is None:
        return None
    index = series_index(values)
    if index is not None and len(set(index)) == len(index) and all(x in tree.leaves for x in index):
        values = dict(zip(index, values.tolist(), strict=True))
    if isinstance(values, dict):
        unknown = [x for x in values if x not in tree.leaves]
        if unknown:
            raise UnknownLeafError(unknown, tree.leaves.labels, what="keys of values")
        values = [values.get(x, np.nan) for x in tree.leaves]
    try:
        found = np.array([np.nan if x is None else x for x in values], dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        msg = "values must be numbers that fit a float, one for each leaf; pass group names as classes="
        raise InvalidLabelsError(msg) from None
    if found.shape != (tree.n_leaves,):
        msg = f"values must have one entry for each of the {tree.n_leaves} leaves; got shape {found.shape}"
        raise InvalidLabelsError(msg)
    found[~np.isfinite(found)] = np.nan
    if np.isnan(found).all():
        msg = "values has no finite number for any leaf, so there is nothing to colour"
        raise InvalidLabelsError(msg)
    check_range(found, "values")
    return found


def check_range(numbers: np.ndarray, what: str) -> None:
    """Check that a colour scale can span the numbers: max - min must not overflow. NaN is ignored."""
    known = numbers[~np.isnan(numbers)]
    if known.size and known.max() / 4 - known.min() / 4 > np.finfo(np.float64).max / 8:
        msg = f"{what} range from {known.min():g} to {known.max():g}, too wide for a colour scale; rescale them"
        raise InvalidLabelsError(msg)


def shorten(name: str, most: int = LONGEST_LABEL) -> str:
    """Put a label on one line. A long one loses its middle."""
    name = " ".join(name.split())
    if len(name) <= most:
        return name
    half = max((most - 1) // 2, 1)
    return f"{name[:half]}…{name[-half:]}"


def shorten_all(names: Sequence[str], most: int = LONGEST_LABEL) -> list[str]:
    """Put labels on one line each, as `shorten` does. Labels that differ stay different.

    Long ones that would look alike show their beginning and the part from where they differ.
    """
    lines = [" ".join(x.split()) for x in names]
    shown = [shorten(x, most) for x in lines]
    alike: dict[str, list[str]] = {}
    for line, text in zip(lines, shown, strict=True):
        alike.setdefault(text, []).append(line)
    text_of = dict(zip(lines, shown, strict=True))
    for group in alike.values():
        some = sorted(set(group))
        if len(some) > 1:
            ends = zip(some[0], some[-1], strict=False)
            same = next((i for i, (x, y) in enumerate(ends) if x != y), len(some[0]))
            head = min(same, most // 3)
            text_of |= {x: f"{x[:head]}…{shorten(x[same:], most - head - 1)}" for x in some}
    taken: set[str] = set()
    for x, text in text_of.items():
        k = 1
        while text in taken:
            k += 1
            text = f"{text_of[x][: most - 1 - len(str(k))]}#{k}"
        taken.add(text)
        text_of[x] = text
    return [text_of[x] for x in lines]


def percent(part: int, size: int) -> int:
    """A share in whole percent, rounded. 100 only if part equals size."""
    return 100 if part == size else min(int(100 * part / size + 0.5), 99)


def class_marker(style: int, rim: Any = "white") -> dict[str, Any]:
    """Keyword arguments of ``Line2D`` for a class with that style index."""
    return {
        "linestyle": "none",
        "marker": SHAPES[style % len(SHAPES)],
        "color": PALETTE[style % len(PALETTE)],
        "markeredgecolor": rim,
        "markeredgewidth": 0.3,
    }


def tile_style(style: int, paper: Any) -> dict[str, Any]:
    """Colour and hatch of a tile or a band of that style index. The first seven have none, the others in turn."""
    return {
        "facecolor": PALETTE[style % len(PALETTE)],
        "hatch": None if style < 7 else HATCHES[1 + (style - 7) % (len(HATCHES) - 1)],
        "edgecolor": paper,
    }


P = ParamSpec("P")
R = TypeVar("R")


class Theme(NamedTuple):
    """Neutral colours that are readable on the background of given axes, light or dark.

    line : lines and text; paper : background; missed : violated constraints; dark : whether the background is dark
    """

    line: Any
    paper: Any
    missed: Any
    dark: bool

    def faint(self, share: float) -> Any:
        """The line colour, blended with this share of the background."""
        from matplotlib.colors import to_rgb

        return tuple(a + share * (b - a) for a, b in zip(to_rgb(self.line), to_rgb(self.paper), strict=True))

    def strong(self, colour: Any) -> Any:
        """A version of a colour with more contrast to the background, for thin strokes and text."""
        from matplotlib.colors import to_rgb

        return tuple(1 - 0.6 * (1 - x) if self.dark else 0.7 * x for x in to_rgb(colour))

    def tinted(self, colour: Any, share: float = 0.3) -> Any:
        """The background, blended with this share of a colour."""
        from matplotlib.colors import to_rgb

        return tuple(b + share * (a - b) for a, b in zip(to_rgb(colour), to_rgb(self.paper), strict=True))

    def style_of(self, mark: MergeMarker) -> dict[str, Any]:
        """The style of a marker with its neutral colours replaced by this theme's."""
        own = {LINE: self.line, "white": self.paper, MISSED: self.missed}
        return {name: own.get(x, x) if isinstance(x, str) and name != "marker" else x for name, x in mark.style.items()}

    def shade(self, code: int) -> Any:
        """The colour of a cluster or class. The line colour for -1."""
        return self.line if code < 0 else PALETTE[code % len(PALETTE)]


def find_theme(ax: Any, *, bare: bool = False) -> Theme:
    """Choose the theme for axes from their background, or, if `bare`, from the figure's (axes turned off).

    Lines take the style sheet's text colour where it contrasts with the background, else a dark or light grey.
    """
    from matplotlib import rcParams
    from matplotlib.colors import to_rgb, to_rgba

    grounds = [() if bare else ax.get_facecolor(), ax.figure.get_facecolor()]
    paper: Any = next((to_rgb(x) for x in grounds if x and to_rgba(x)[3] > 0.5), (1.0, 1.0, 1.0))
    light = _luminance(paper)
    text = to_rgb(rcParams["text.color"])
    line: Any = text if text != (0.0, 0.0, 0.0) else LINE
    if abs(_luminance(to_rgb(line)) - light) < 0.4:
        line = LINE if light > 0.5 else "#EEEEEE"
    dark = light < 0.4
    return Theme(line, "white" if paper == (1.0, 1.0, 1.0) else paper, "#FF7A70" if dark else MISSED, dark)


def _luminance(colour: Any) -> float:
    red, green, blue = colour
    return 0.3 * red + 0.59 * green + 0.11 * blue


def check_axes(ax: Any) -> None:
    """Raise TypeError unless `ax` is matplotlib Axes or None."""
    from matplotlib.axes import Axes

    if ax is not None and not isinstance(ax, Axes):
        msg = f"ax must be matplotlib Axes, as from plt.subplots(), not {type(ax).__name__} ({ax!r:.60})"
        raise TypeError(msg)


def check_width(width: Any, ax: Any = None) -> float | None:
    """Check the `width` of a new figure. Return inches, or None if the picture chooses."""
    if width is None:
        return None
    if ax is not None:
        msg = "width is for a new figure; leave it out if axes are given, as they have a size"
        raise ValueError(msg)
    if isinstance(width, str):
        if width not in WIDTHS:
            msg = f"width must be {', '.join(map(repr, WIDTHS))} or a number of inches, got {width!r:.60}"
            raise ValueError(msg)
        return WIDTHS[width]
    if isinstance(width, (bool, np.bool_)) or not isinstance(width, Real) or not 2 <= float(width) <= 60:
        msg = f"width must be {', '.join(map(repr, WIDTHS))} or from 2 to 60 inches, got {width!r:.60}"
        raise ValueError(msg)
    return float(width)


def largest_font(width: float | None) -> float:
    """The font size of labels, in points: 10 on screens, less where a journal gives the width."""
    return 10.0 if width is None else 7.0 if width <= 5 else 8.0


def save_picture(picture: Any, path: str | os.PathLike[str], *, text: str = "text", dpi: float = 300) -> None:
    """Save a picture for a paper or a slide, with text that stays text.

    Parameters
    ----------
    picture : matplotlib Axes, list of them, or Figure
        As the ``plot_`` functions return it.
    path : path
        Its extension is the format: svg, pdf, eps, png, tif, ... The file is replaced once the picture is drawn.
    text : {"text", "path"}
        Form of letters in SVG and PDF: text, which can be searched and changed and needs the font where it is shown,
        or outlines, which look the same everywhere.
    dpi : float
        Resolution of png, tif and the like, in dots per inch.

    See Also
    --------
    plot_dendrogram : ``width="column"`` makes a figure as wide as a column of a journal.

    Notes
    -----
    Equal pictures give equal SVG files: they hold no date, and identifiers that depend on the content alone.

    Examples
    --------
    >>> import matplotlib, pathlib, tempfile
    >>> matplotlib.use("agg")
    >>> from tripletree.plots import plot_dendrogram, save_picture
    >>> ax = plot_dendrogram(Hierarchy.from_nested([["human", "chimp"], "gorilla"]), width="column")
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = pathlib.Path(folder, "apes.svg")
    ...     save_picture(ax, path)
    ...     ">gorilla</text>" in path.read_text()
    True
    >>> matplotlib.pyplot.close(ax.figure)
    """
    import_pyplot("save_picture")
    from matplotlib import rc_context
    from matplotlib.figure import Figure

    first = picture if isinstance(picture, Figure) else next(iter(np.ravel(np.asarray(picture, dtype=object))), None)
    figure = first if isinstance(first, Figure) else getattr(first, "figure", None)
    if not isinstance(figure, Figure):
        kind = type(picture).__name__
        msg = f"picture must be matplotlib Axes or a Figure, as plot_dendrogram returns them, got {kind}"
        raise TypeError(msg)
    check_choice(text, "text", ("text", "path"))
    kind = os.path.splitext(os.fspath(path))[1].removeprefix(".").lower()
    if kind not in figure.canvas.get_supported_filetypes():
        known = ", ".join(sorted(figure.canvas.get_supported_filetypes()))
        msg = f"{os.fspath(path)!r} ends with no format of a picture; the formats are {known}"
        raise ValueError(msg)
    fonts: Any = {"svg.fonttype": "none", "pdf.fonttype": 42, "ps.fonttype": 42}
    if text == "path":
        fonts = {"svg.fonttype": "path", "pdf.fonttype": 3, "ps.fonttype": 3}
    undated = {"svg": {"Date": None}, "pdf": {"CreationDate": None}, "eps": None}.get(kind)
    with write_atomic_bytes(path) as stream, rc_context({**fonts, "svg.hashsalt": "tripletree"}):
        figure.savefig(stream, format=kind, dpi=dpi, metadata=undated)


def close_on_error(function: Callable[P, R]) -> Callable[P, R]:
    """Decorate a plotting function: check `ax`, and close the pyplot figures it opened if it raises."""

    @wraps(function)
    def call(*args: P.args, **kwargs: P.kwargs) -> R:
        plt = import_pyplot(function.__name__)
        check_axes(kwargs.get("ax"))
        before = set(plt.get_fignums())
        try:
            return function(*args, **kwargs)
        except BaseException:
            for number in sorted(set(plt.get_fignums()) - before):
                plt.close(number)
            raise

    return call
