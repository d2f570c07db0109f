"""The page of a hierarchy as a widget of notebooks: the clade picked in it is known to Python."""

import sys

import numpy as np
import pytest

pytest.importorskip("anywidget")

import traitlets
from hypothesis import given
from strategies import hierarchies

from tripletree.cluster import ReCon
from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import MissingDependencyError
from tripletree.plots import hierarchy_widget, show_html
from tripletree.plots.page import make_page_data


def apes():
    return Hierarchy.from_nested([[["human", "chimp"], "gorilla"], ["gibbon", "siamang"]])


def picked(view, place):
    """The widget after a message of the page."""
    view.set_state({"_place": place})
    return view.node


def clade_in_page(data, place):
    """Labels of the leaves below a node as the page reads them: numbers of children, depth first."""
    before = sum(k == 0 for k in data["children"][:place])
    wanted, stop = 1, place
    while wanted:
        wanted += data["children"][stop] - 1
        stop += 1
    return data["labels"][before : before + sum(k == 0 for k in data["children"][place:stop])]


@given(hierarchies(max_leaves=12))
def test_hierarchy_widget__python_and_the_page_mean_the_same_clade(h):
    view = hierarchy_widget(h)
    data = make_page_data(h, None, None, None, "auto", None)
    for place in range(h.n_nodes):
        node = picked(view, place)
        assert sorted(str(x) for x in view.clade) == sorted(clade_in_page(data, place))
        assert view.clade == h.clade(node) == [h.leaves[i] for i in view.leaves]
    for node in range(h.n_nodes):
        view.node = node
        assert picked(view, view.get_state("_place")["_place"]) == node


def test_hierarchy_widget__open_nodes_by_their_places():
    h = Hierarchy(apes().parent, apes().leaves, incertae_sedis=[0, apes().n_nodes - 2])
    data = make_page_data(h, None, None, None, "auto", None)
    clades = {tuple(sorted(clade_in_page(data, place))) for place in data["open"]}
    assert clades == {tuple(sorted(h.clade(u))) for u in (0, h.n_nodes - 2)}
    assert "open" not in make_page_data(apes(), None, None, None, "auto", None)


def test_hierarchy_widget__shows_the_page_and_nothing_is_picked():
    view = hierarchy_widget(apes(), title="Apes", height=300)
    assert view.page == show_html(apes(), title="Apes").page
    assert view.height == 300
    assert view.node is view.leaves is view.clade is None
    assert {"page", "height", "_place"} <= set(view.get_state())
    assert "node" not in view.get_state()


def test_hierarchy_widget__tells_who_observes_and_takes_back():
    h, heard = apes(), []
    view = hierarchy_widget(h)
    view.observe(lambda change: heard.append((change["old"], change["new"])), "node")
    both = h.common_ancestor(["human", "chimp"])
    view.node = np.int32(both)
    assert type(view.node) is int
    assert sorted(view.clade) == ["chimp", "human"]
    picked(view, 0)
    view.node = None
    assert heard == [(None, both), (both, h.root), (h.root, None)]
    assert view.get_state("_place")["_place"] is view.leaves is view.clade is None


@pytest.mark.parametrize("wrong", [-1, 9, 10**30, True, 1.0, "1", [1], {"a": 1}, float("nan")])
def test_hierarchy_widget__what_is_no_node_is_refused(wrong):
    view = hierarchy_widget(apes())
    view.node = 6
    for act in (lambda: picked(view, wrong), lambda: setattr(view, "node", wrong)):
        with pytest.raises(traitlets.TraitError, match=r"there is no node .*whole numbers 0\.\.8"):
            act()
        assert view.node == 6
        assert len(view.leaves) == len(view.clade) > 1


def test_hierarchy_widget__of_an_estimator_gives_rows():
    X = np.array([[0.0], [0.1], [5.0], [5.1], [5.2]])
    model = ReCon(n_clusters=2).fit(X)
    view = hierarchy_widget(model)
    view.node = view.hierarchy.common_ancestor([2, 3, 4])
    assert sorted(view.leaves) == sorted(view.clade) == [2, 3, 4]
    assert X[view.leaves].min() == 5.0
    assert view.page == show_html(model).page


def test_hierarchy_widget__takes_what_show_html_takes():
    with pytest.raises(TypeError):
        hierarchy_widget("((a,b),c);")
    with pytest.raises(ValueError, match="height"):
        hierarchy_widget(apes(), height=5)


def test_hierarchy_widget__says_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "anywidget", None)
    monkeypatch.delitem(sys.modules, "tripletree.plots.page.notebook", raising=False)
    with pytest.raises(MissingDependencyError, match=r"hierarchy_widget needs anywidget.*tripletree\[ask\]"):
        hierarchy_widget(apes())
