"""The page of a hierarchy as a widget of notebooks that knows which clade was picked."""

from __future__ import annotations

from importlib.resources import files
from typing import Any
from uuid import uuid4

import anywidget
import numpy as np
import traitlets

from tripletree.core.hierarchy import Hierarchy


class RememberedWidget(anywidget.AnyWidget):
    """A widget that leaves a still picture in the notebook, for readers who open it again without its kernel.

    JupyterLab shows nothing of an output whose widget is gone, so the picture is an output of its own. It is hidden as
    long as the widget is there.
    """

    _still = traitlets.Unicode().tag(sync=True)  # the class of the element with the picture

    def __init__(self, **values: Any) -> None:
        super().__init__(_still=f"tripletree-{uuid4().hex}", **values)

    def still_html(self) -> str:
        """Return the part that stays in a saved notebook, as HTML."""
        raise NotImplementedError

    def _ipython_display_(self) -> None:
        from IPython.display import display

        found = self._repr_mimebundle_()
        data, metadata = found if isinstance(found, tuple) else (found, {})
        display(data, metadata=metadata, raw=True)
        display({"text/html": f'<div class="{self._still}">{self.still_html()}</div>', "text/plain": ""}, raw=True)


class HierarchyWidget(RememberedWidget):
    """Shows a page in a frame. `node` is the picked node, which can be observed and set, or None."""

    _esm = "\n".join(
        files("tripletree.plots.page").joinpath(x).read_text("utf-8") for x in ("notebook.js", "widget.js")
    )
    page = traitlets.Unicode().tag(sync=True)
    height = traitlets.Int().tag(sync=True)
    _place = traitlets.Any(None).tag(sync=True)  # the picked node as the page numbers it: depth first
    node = traitlets.Any(None)

    def __init__(self, hierarchy: Hierarchy, order: np.ndarray, page: str, height: int) -> None:
        super().__init__(page=page, height=height)
        self.hierarchy = hierarchy
        self._order = order
        self._places = np.argsort(order)

    def still_html(self) -> str:
        """Return the top of the hierarchy."""
        return self.hierarchy._repr_html_()

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
