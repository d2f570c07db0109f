"""Files for iTOL, the interactive tree of life: the tree, and a dataset for each column of annotations."""

from __future__ import annotations

import os
import re
from collections.abc import Container
from pathlib import Path
from typing import Any

import numpy as np

from tripletree.core.hierarchy import Hierarchy, check_hierarchy
from tripletree.errors import InvalidLabelsError
from tripletree.io import write_newick
from tripletree.io.source import write_folder
from tripletree.plots.annotations import Clade, LeafColumn, check_clades, check_columns
from tripletree.plots.style import PALETTE, encode_groups

LOW, HIGH = "#FFF7BC", "#00224E"  # ends of the colours of numbers


def write_itol(
    hierarchy: Any, folder: str | os.PathLike[str], *, clusters: Any = None, annotations: Any = None, clades: Any = None
) -> list[Path]:
    """Write a hierarchy and the values of its leaves as files that iTOL reads.

    Parameters
    ----------
    hierarchy : Hierarchy or fitted estimator
        An estimator's ``labels_`` are the default for `clusters`.
    folder : path
        Made if need be. Files of the same names are replaced.
    clusters : sequence or mapping, optional
        As in `plot_dendrogram`: a strip of colours.
    annotations : DataFrame or mapping, optional
        As in `plot_dendrogram`: a strip of colours for each column of categories, a gradient for each of numbers.
    clades : mapping or iterable, optional
        As in `plot_dendrogram`: coloured ranges with names.

    Returns
    -------
    list of Path
        The files written: ``tree.nwk``, to upload first, then a text file for each dataset, to drag onto the tree.

    Raises
    ------
    InvalidLabelsError
        If a label is blank or has a tab or a line end, which iTOL's files cannot hold, or a column does not fit.

    See Also
    --------
    plot_dendrogram : the same in a picture.

    Examples
    --------
    >>> import tempfile
    >>> h = Hierarchy.from_nested([["human", "chimp"], "gorilla"])
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     written = write_itol(h, folder, annotations={"hands": ["bare", "hairy", "hairy"]})
    ...     print([path.name for path in written])
    ...     print(written[1].read_text().splitlines()[-1].split())
    ['tree.nwk', 'hands.txt']
    ['gorilla', '#0072B2', 'hairy']
    """
    tree = check_hierarchy(hierarchy)
    if clusters is None and hierarchy is not tree:
        clusters = getattr(hierarchy, "labels_", None)
    labels = [str(x) for x in tree.leaves]
    bad = [x for x in labels if not x.strip() or re.search(r"[\t\r\n]", x)]
    if bad:
        msg = (
            f"iTOL's files cannot hold blank labels, tabs or line ends: {', '.join(map(repr, bad[:5]))}; rename leaves"
        )
        raise InvalidLabelsError(msg)
    groups = encode_groups(clusters, tree, "clusters", None)
    columns = [] if groups is None else [LeafColumn("cluster", groups, None)]
    columns += check_columns(annotations, tree, 0 if groups is None else len(groups.names))
    named = check_clades(clades, tree, sum(len(x.groups.names) for x in columns if x.groups is not None))
    files = {"tree.nwk": write_newick(tree) + "\n"}
    for column in columns:
        lines = _strip(column, labels) if column.groups is not None else _gradient(column, labels)
        files[_free_name(column.name, files)] = _text(lines)
    if named:
        files[_free_name("clades", files)] = _text(_ranges(named, tree, labels))
    return write_folder(folder, files)


def _free_name(name: str, taken: Container[str]) -> str:
    """Return a file name for a column, with a number where another column has it."""
    stem = re.sub(r"[^\w.-]+", "_", name).strip("._") or "column"
    found, k = f"{stem}.txt", 2
    while found in taken:
        found, k = f"{stem}_{k}.txt", k + 1
    return found


def _text(lines: list[list[str]]) -> str:
    return "".join("\t".join(line) + "\n" for line in lines)


def _word(text: Any) -> str:
    """Return a text on one line without tabs."""
    return " ".join(str(text).split())


def _strip(column: LeafColumn, labels: list[str]) -> list[list[str]]:
    """Return a strip of colours with its legend."""
    groups = column.groups
    assert groups is not None
    colours = [PALETTE[k % len(PALETTE)] for k in groups.style.tolist()]
    names = [_word(x) for x in groups.names]
    head = [
        ["DATASET_COLORSTRIP"],
        ["SEPARATOR TAB"],
        ["DATASET_LABEL", _word(column.name)],
        ["COLOR", colours[0] if colours else "#000000"],
        ["LEGEND_TITLE", _word(column.name)],
        ["LEGEND_SHAPES", *["1"] * len(names)],
        ["LEGEND_COLORS", *colours],
        ["LEGEND_LABELS", *names],
        ["DATA"],
    ]
    codes = groups.codes.tolist()
    return head + [[leaf, colours[k], names[k]] for leaf, k in zip(labels, codes, strict=True) if k >= 0]


def _gradient(column: LeafColumn, labels: list[str]) -> list[list[str]]:
    """Return a gradient of colours."""
    assert column.values is not None
    head = [
        ["DATASET_GRADIENT"],
        ["SEPARATOR TAB"],
        ["DATASET_LABEL", _word(column.name)],
        ["COLOR", HIGH],
        ["COLOR_MIN", LOW],
        ["COLOR_MAX", HIGH],
        ["DATA"],
    ]
    values = zip(labels, column.values.tolist(), strict=True)
    return head + [[leaf, repr(x)] for leaf, x in values if np.isfinite(x)]


def _ranges(clades: list[Clade], tree: Hierarchy, labels: list[str]) -> list[list[str]]:
    """Coloured ranges; iTOL finds a node as the last common ancestor of two leaves."""
    start, stop, order = tree.leaf_intervals
    lines = [["TREE_COLORS"], ["SEPARATOR TAB"], ["DATA"]]
    for clade in clades:
        inside = order[start[clade.node] : stop[clade.node]]
        ends = [labels[inside[0]]]
        if clade.node >= tree.n_leaves and inside.size > 1:  # two leaves below different children meet at the node
            ends.append(labels[inside[-1]])
        lines.append(["|".join(ends), "range", PALETTE[clade.style % len(PALETTE)], _word(clade.name)])
    return lines
