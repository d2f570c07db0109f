"""The hierarchy of the files below a folder."""

from __future__ import annotations

import os
from collections.abc import Iterable
from typing import Literal

from tripletree.core.checks import check_choice, check_count
from tripletree.core.hierarchy import Hierarchy
from tripletree.core.leaves import repeated
from tripletree.core.notes import kept
from tripletree.core.placeholders import Placeholders
from tripletree.errors import SHOWN, DuplicateLeafError, LimitExceededError, ParseError
from tripletree.io.format import FileFormat
from tripletree.io.node_list import listed_hierarchy


@kept
def read_folder(
    path: str | os.PathLike[str],
    *,
    labels: Literal["path", "name"] = "path",
    max_entries: int = 1_000_000,
    placeholders: bool | str | Iterable[str] = True,
) -> Hierarchy:
    """Read the hierarchy of the files below a folder: folders are inner nodes, all else in them is a leaf.

    Parameters
    ----------
    path : path
        A folder. It is the root.
    labels : {"path", "name"}
        Label leaves, and name inner nodes, by their paths from the root, with ``/`` between the parts on every
        system, or by their bare names, which must then be different for all files.
    max_entries : int
        More files and folders than this are refused.
    placeholders : bool, str or iterable of str
        Names that are not taxa, such as "unclassified beetles": such folders are left out, and what is below them is
        open (``.incertae_sedis``). Names extend the known ones, False takes every name for a taxon.

    Returns
    -------
    Hierarchy
        Leaves in the order of their names, folder by folder. A folder without a file anywhere below it does not occur.
        A folder with one entry is a node with one child. The root is named by the folder's own name.

    Raises
    ------
    ParseError
        If folders cannot be read. ``.problems`` has all of them. Or if there is no file.
    LimitExceededError
        If there are more entries than `max_entries`.

    Notes
    -----
    Files are never opened. Symbolic links are leaves, wherever they lead: nothing is followed. Names that are not
    UTF-8 are given as `os.fsdecode` gives them. The time is spent on listing the folders, depth has no bound but the
    system's own on paths.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for name in ("apes/pan/chimp", "apes/human", "gibbon"):
    ...         file = pathlib.Path(folder, name)
    ...         file.parent.mkdir(parents=True, exist_ok=True)
    ...         file.touch()
    ...     h = read_folder(folder)
    >>> list(h.leaves), h.names[:2]
    (['apes/human', 'apes/pan/chimp', 'gibbon'], ('apes/pan', 'apes'))
    """
    check_choice(labels, "labels", ("path", "name"))
    fillers = Placeholders.of(placeholders)
    root = os.fsdecode(path)
    parent, names, is_folder = _entries(root, check_count(max_entries, "max_entries", 1))
    kept = _with_files(parent, is_folder)
    if not kept[0]:
        msg = "there is no file anywhere below this folder"
        raise ParseError(msg, path=root)
    shown = names if labels == "name" else _paths(parent, names)
    shown[0] = os.path.basename(os.path.abspath(root)) or root
    number = [-1] * len(parent)
    nodes = [u for u, keep in enumerate(kept) if keep]
    for k, u in enumerate(nodes):
        number[u] = k
    twice = repeated([shown[u] for u in nodes if not is_folder[u]])
    if twice:
        raise DuplicateLeafError(twice, where=" when names are the labels (take labels='path')")
    found = listed_hierarchy(
        [-1, *(number[parent[u]] for u in nodes[1:])],
        [shown[u] for u in nodes],
        lengths=[float("nan")] * len(nodes),
        missing="an entry without a name",
        error=lambda message, k: ParseError(message, path=root),
    )
    return fillers.contracted(found, names=[(x or "").rsplit("/", 1)[-1] for x in found.names or ()])


class _Listing:
    """Lists folders one by one, and counts their entries."""

    def __init__(self, root: str, most: int) -> None:
        self._root, self._most, self._count = root, most, 0

    def of(self, folder: str) -> list[os.DirEntry[str]]:
        """Return the entries of a folder by their names, last first."""
        entries = []
        with os.scandir(folder) as found:
            for entry in found:
                self._count += 1
                if self._count > self._most:
                    msg = f"more than {self._most:,} files and folders below {self._root!r}; max_entries= allows more"
                    raise LimitExceededError(msg, size=self._count, limit=self._most)
                entries.append(entry)
        return sorted(entries, key=lambda entry: entry.name, reverse=True)


def _entries(root: str, most: int) -> tuple[list[int], list[str], list[bool]]:
    """Parent, name and whether it is a folder for a folder and all below it, in depth-first order."""
    parent, names, is_folder = [-1], [""], [True]
    problems: list[str] = []
    listing = _Listing(root, most)
    todo = [(0, listing.of(root))]
    while todo:
        above, entries = todo[-1]
        if not entries:
            todo.pop()
            continue
        entry = entries.pop()
        parent.append(above)
        names.append(entry.name)
        is_folder.append(False)
        try:
            if entry.is_dir(follow_symlinks=False) and not getattr(entry, "is_junction", bool)():
                is_folder[-1] = True
                todo.append((len(parent) - 1, listing.of(entry.path)))
        except OSError as error:
            problems.append(f"{os.path.relpath(entry.path, root)!r} ({error.strerror or error})")
    if problems:
        shown = "; ".join(problems[:SHOWN]) + ("; ..." if len(problems) > SHOWN else "")
        msg = f"{len(problems)} {'folder' if len(problems) == 1 else 'folders'} cannot be read: {shown}"
        raise ParseError(msg, path=root, problems=problems)
    return parent, names, is_folder


def _with_files(parent: list[int], is_folder: list[bool]) -> list[bool]:
    """Tell which entries are files or have one below them."""
    kept = [not x for x in is_folder]
    for u in range(len(parent) - 1, 0, -1):
        if kept[u]:
            kept[parent[u]] = True
    return kept


def _paths(parent: list[int], names: list[str]) -> list[str]:
    """Return the paths from the root, its own being empty."""
    paths = [""]
    for u in range(1, len(parent)):
        above = paths[parent[u]]
        paths.append(f"{above}/{names[u]}" if above else names[u])
    return paths


FORMAT = FileFormat("folder", "folder of files", read=read_folder, by_path=True)
