"""The shapes in which JSON holds trees: objects in each other, names in each other, lists in each other, flat lists."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass
from typing import Any, NamedTuple

from tripletree.errors import InvalidHierarchyError
from tripletree.hierarchy import Hierarchy
from tripletree.io.trees._json_text import Refuse
from tripletree.io.trees._node_list import listed_hierarchy
from tripletree.ontology import Ontology

__all__ = ["JsonKeys", "flat_ontology", "is_flat", "nested_hierarchy"]

_NAME = ("name", "label", "title", "text", "id")
_CHILDREN = ("children", "child", "nodes", "items")
_LENGTH = ("length", "branch_length", "branchLength", "branchlength")
_CHILD_IDS = ("child_ids", "childIds", "children_ids", "childrenIds")
_PARENT_IDS = ("parent", "parents", "parent_id", "parentId", "parent_ids", "parentIds")


@dataclass(frozen=True)
class JsonKeys:
    """The keys under which an object holds its name, children and branch length; None for the usual ones."""

    name: str | None = None
    children: str | None = None
    length: str | None = None

    def label(self, node: dict[str, Any]) -> Any:
        """What the object is called, None for nothing."""
        for key in _NAME if self.name is None else (self.name,):
            if node.get(key) is not None:
                return node[key]
        return None

    def children_key(self, node: dict[str, Any], error: Refuse) -> str | None:
        """The key of the object's children, None where it has none."""
        if self.children is not None:
            return self.children if self.children in node else None
        found = [key for key in _CHILDREN if isinstance(node.get(key), (list, dict))]
        if len(found) > 1:
            raise error(f"this object has both {found[0]!r} and {found[1]!r}: say which with children=", node)
        return found[0] if found else None

    def branch(self, node: dict[str, Any], error: Refuse) -> float:
        """The length of the branch above the object, NaN where it says none."""
        for key in _LENGTH if self.length is None else (self.length,):
            value = node.get(key)
            if value is None:
                continue
            if not isinstance(value, (int, float)) or isinstance(value, bool) or not _finite(value):
                msg = f"the branch length under {key!r} must be a finite number, not {_shown(value)}"
                raise error(msg if self.length else f"{msg}; length= says which key holds the lengths", node)
            return float(value)
        return math.nan

    def is_node(self, item: dict[str, Any], error: Refuse) -> bool:
        """Whether an object is a node (else its keys are names of nodes)."""
        if self.name is not None or self.children is not None or type(item.get("name")) is str:
            return True
        if any(_is_label(item.get(key)) for key in _NAME):
            return True
        key = next((key for key in _CHILDREN if isinstance(item.get(key), list)), None)
        if key is None:
            return False
        if any(isinstance(value, (list, dict)) for other, value in item.items() if other != key):
            msg = f"is {key!r} here the list of an object's children, or the name of a node? Say so with children="
            raise error(msg, item)
        return True


def _is_label(value: Any) -> bool:
    return isinstance(value, (str, int)) and not isinstance(value, bool)


def _shown(value: Any) -> str:
    """A value as a message names it; its insides, which may be deep, are not looked at."""
    if isinstance(value, (list, dict)):
        return "a list" if isinstance(value, list) else "an object"
    return json.dumps(value)[:60]


def _finite(value: float) -> bool:
    try:
        return math.isfinite(value)
    except OverflowError:  # a whole number beyond the largest float
        return False


# ---------------------------------------------------------------------- nested


class _Named(NamedTuple):
    """A node that is the key of an object, and what stands below it."""

    name: str
    below: Any


class _Item(NamedTuple):
    """What is still to be looked at: a value, the node it hangs from, and the list or object it stands in."""

    value: Any
    above: int
    within: Any


class _Nodes:
    """The nodes of a nested value, parents before their children."""

    def __init__(self, keys: JsonKeys, error: Refuse) -> None:
        self.parent: list[int] = []
        self.labels: list[Any] = []
        self.lengths: list[float] = []
        self.within: list[Any] = []
        self._keys, self._error = keys, error
        self._any_children = False
        self._overlooked: tuple[dict[str, Any], str] | None = None  # an object, and its key that may hold children

    def _add(self, above: int, label: Any, length: float, within: Any) -> int:
        if label is not None and not _is_label(label):
            raise self._error(f"a label must be a string or a whole number, not {_shown(label)}", within)
        self.parent.append(above)
        self.labels.append(label)
        self.lengths.append(length)
        self.within.append(within)
        return len(self.parent) - 1

    def collect(self, root: Any) -> None:
        """List the nodes of a whole value."""
        if isinstance(root, list) and len(root) == 1 and isinstance(root[0], dict):
            root = root[0]  # the list of the roots, of which there is one
        todo = [_Item(root, -1, root)]
        while todo:
            value, above, within = todo.pop()
            if isinstance(value, _Named):
                todo += self._below(value.name, value.below, above, within)
            elif isinstance(value, list):
                if not value:
                    raise self._error("an empty list stands for no node", within if value is not root else value)
                u = self._add(above, None, math.nan, value)
                todo += [_Item(x, u, value) for x in reversed(value)]
            elif not isinstance(value, dict):
                self._leaf(value, above, within)
            elif self._keys.is_node(value, self._error):
                todo += self._object(value, above)
            else:
                todo += self._names(value, above)
        if self._overlooked is not None and not self._any_children:
            node, key = self._overlooked
            msg = f"no object has children under a usual key; if they are the list under {key!r}, say children={key!r}"
            raise self._error(msg, node)

    def _leaf(self, value: Any, above: int, within: Any) -> None:
        if not _is_label(value):
            raise self._error(f"a leaf must be a string or a whole number, not {_shown(value)}", within)
        self._add(above, value, math.nan, within)

    def _object(self, node: dict[str, Any], above: int) -> list[_Item]:
        """A node that is an object; its children, last first."""
        u = self._add(above, self._keys.label(node), self._keys.branch(node, self._error), node)
        key = self._keys.children_key(node, self._error)
        children = None if key is None else node[key]
        if children is None:
            if not self._any_children and self._overlooked is None:
                lists = (k for k, x in node.items() if isinstance(x, list) and x and isinstance(x[0], dict))
                self._overlooked = next(((node, k) for k in lists), None)
            return []
        self._any_children = True
        if not isinstance(children, list):
            raise self._error(f"under {key!r} a list of children is wanted, not {_shown(children)}", node)
        return [_Item(x, u, children) for x in reversed(children)]

    def _names(self, names: dict[str, Any], above: int) -> list[_Item]:
        """Nodes that are the keys of an object, last first."""
        if not names:
            raise self._error("an empty object stands for no node", names)
        if above < 0 and len(names) > 1:
            above = self._add(-1, None, math.nan, names)
        return [_Item(_Named(name, below), above, names) for name, below in reversed(names.items())]

    def _below(self, name: str, below: Any, above: int, within: Any) -> list[_Item]:
        """A node that is a key; what is below it, last first."""
        u = self._add(above, name, math.nan, within)
        if below is None or below == {} or below == []:
            return []
        if isinstance(below, dict):
            return [_Item(below, u, within)]
        if isinstance(below, list):
            return [_Item(x, u, below) for x in reversed(below)]
        msg = (
            f"what is below the node {name!r} must be an object, a list or null, not {_shown(below)} (where nodes are "
            "objects, name= and children= say which keys hold their names and children)"
        )
        raise self._error(msg, within)


def nested_hierarchy(root: Any, keys: JsonKeys, error: Refuse) -> Hierarchy:
    """The hierarchy of a value whose lists and objects stand in each other as its nodes do."""
    if not isinstance(root, (list, dict)):
        raise error(f"a tree is an object or a list, not {_shown(root)}", root)
    nodes = _Nodes(keys, error)
    nodes.collect(root)
    wanted = "under one of " + ", ".join(map(repr, _NAME)) if keys.name is None else f"under {keys.name!r}"
    return listed_hierarchy(
        nodes.parent,
        nodes.labels,
        lengths=nodes.lengths,
        missing=f"a leaf without a label, which is wanted {wanted}",
        error=lambda message, u: error(message, nodes.within[u]),
    )


# ---------------------------------------------------------------------- flat


def _ids(value: Any) -> list[Any] | None:
    """The ids that an entry names, None where it is no id and no list of ids."""
    values = value if isinstance(value, list) else [] if value is None or value == "" else [value]
    return values if all(map(_is_label, values)) else None


def _flat_key(items: list[dict[str, Any]], keys: JsonKeys) -> tuple[str, bool] | None:
    """The key under which the objects name others, and whether those are their children; None if there is none."""
    choice = [(keys.children, True)] if keys.children is not None else [(k, True) for k in (*_CHILD_IDS, *_CHILDREN)]
    if keys.children is None:
        choice += [(k, False) for k in _PARENT_IDS]
    known: set[Any] | None = None
    for key, down in choice:
        if key in _CHILD_IDS and any(x.get(key) for x in items):
            return key, down
        named = [_ids(x[key]) for x in items if key in x]
        if not any(named) or None in named:
            continue
        if known is None:
            known = {x["id"] if "id" in x else keys.label(x) for x in items if _is_label(x.get("id", keys.label(x)))}
        if any(x in known for ids in named for x in ids or ()):
            return str(key), down
    return None


def is_flat(value: Any, keys: JsonKeys) -> bool:
    """Whether a value is a list of objects that name each other by ids."""
    return (
        isinstance(value, list)
        and bool(value)
        and all(isinstance(x, dict) for x in value)
        and _flat_key(value, keys) is not None
    )


def flat_ontology(items: list[dict[str, Any]], keys: JsonKeys, error: Refuse) -> Ontology:
    """The terms of a list of objects with ids, in its order."""
    found = _flat_key(items, keys)
    assert found is not None
    key, down = found
    position: dict[Any, int] = {}
    for k, item in enumerate(items):
        term = item["id"] if "id" in item else keys.label(item)
        if not _is_label(term):
            raise error(f"an object's id must be a string or a whole number, not {_shown(term)}", item)
        if term in position:
            raise error(f"the id {term!r} has occurred before", item)
        position[term] = k
    edges: list[tuple[int, int]] = []
    for k, item in enumerate(items):
        named = _ids(item.get(key))
        if named is None:
            raise error(f"under {key!r} ids of other objects are wanted, strings or whole numbers", item)
        for other in named:
            if other not in position:
                raise error(f"{other!r} under {key!r} is the id of no object in the list", item)
            edges.append((position[other], k) if down else (k, position[other]))
    names = [keys.label(x) for x in items]
    wrong = next((k for k, x in enumerate(names) if x is not None and not _is_label(x)), None)
    if wrong is not None:
        raise error(f"a name must be a string or a whole number, not {_shown(names[wrong])}", items[wrong])
    try:
        return Ontology(list(position), edges, names=[None if x is None else str(x) for x in names])
    except InvalidHierarchyError as problem:
        raise error(str(problem), items if problem.node is None else items[problem.node]) from None
