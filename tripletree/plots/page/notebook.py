"""The page of a hierarchy as a widget of notebooks that knows which clade was picked."""

from __future__ import annotations

from importlib.resources import files
from typing import Any

import anywidget
import numpy as np
import traitlets

from tripletree.core.hierarchy import Hierarchy


class HierarchyWidget(anywidget.AnyWidget):
    """Shows a page in a frame. `node` is the picked node, which can be observed and set, or None."""

    _esm = "\n".join(files("tripletree.plots.page").joinpath(x).read_text("utf-8") for x in ("theme.js", "widget.js"))
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    _place = traitlets.Any(None).tag(sync=True)  # the picked node as the page numbers it: depth first
    node = traitlets.Any(None)

    def __init__(self, hierarchy: Hierarchy, order: np.ndarray, page: str, height: int) -> None:
        super().__init__(page=page, height=height)
        self.hierarchy = hierarchy
        self._order = order
        self._places = np.argsort(order)

    def _repr_mimebundle_(self, **options: Any) -> Any:
        """The widget, and a still picture for a notebook that is opened again without its kernel."""
        found = super()._repr_mimebundle_(**options)
        bundle = found[0] if isinstance(found, tuple) else found
        if bundle is not None:
            bundle["text/html"] = self.hierarchy._repr_html_()
        return found

    @property
    def leaves(self) -> np.ndarray | None:
        """Numbers of the leaves of the picked clade, in depth-first order, or None."""
        if self.node is None:
            return None
        start, stop, order = self.hierarchy.leaf_intervals
        return order[start[self.node] : stop[self.node]]

    @property
    def clade(self) -> list[Any] | None:
        """Labels of the leaves of the picked clade, in the same order, or None."""
        return None if self.node is None else self.hierarchy.clade(self.node)

    @traitlets.validate("node", "_place")
    def _checked(self, proposal: Any) -> int | None:
        """A node is a whole number in range or None, whether it comes from Python or from the page."""
        value, n = proposal["value"], self.hierarchy.n_nodes
        if value is None:
            return None
        whole = isinstance(value, (int, np.integer)) and not isinstance(value, bool)
        if not whole or not 0 <= value < n:
            msg = f"there is no node {value!r:.60}: nodes are the whole numbers 0..{n - 1}, and None is no node"
            raise traitlets.TraitError(msg)
        return int(value)

    @traitlets.observe("_place")
    def _picked(self, change: Any) -> None:
        self.node = None if change["new"] is None else int(self._order[change["new"]])

    @traitlets.observe("node")
    def _set(self, change: Any) -> None:
        self._place = None if change["new"] is None else int(self._places[change["new"]])
