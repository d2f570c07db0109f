"""The sample hierarchies that come with the package."""

from __future__ import annotations

from pathlib import Path

from tripletree.core.hierarchy import Hierarchy
from tripletree.errors import UnknownSampleError
from tripletree.io import read_newick

_PACKAGE = "tripletree.sample_hierarchies"
_FOLDER = "sample_hierarchies"


def list_hierarchies() -> list[str]:
    """List the names that `load_hierarchy` knows.

    Returns
    -------
    list of str
        Sorted.

    Examples
    --------
    >>> list_hierarchies()
    ['animals', 'indo_european', 'mammals', 'newsgroups', 'primates']
    """
    return sorted(path.stem for path in _folder().glob("*.nwk"))


def load_hierarchy(name: str) -> Hierarchy:
    """Load a sample hierarchy.

    Parameters
    ----------
    name : str
        One of `list_hierarchies`.

    Returns
    -------
    Hierarchy

    See Also
    --------
    sample_path : the file itself.

    Examples
    --------
    >>> load_hierarchy("primates")
    <Hierarchy: 12 leaves, 11 inner nodes, binary, depth 8>
    """
    known = list_hierarchies()
    if name in known:
        return read_newick(_folder() / f"{name}.nwk")
    if name in {path.stem for path in _folder().glob("*.obo")}:
        msg = f"{name!r} is an ontology, in which a term can have several parents; sample_path({name!r}) is its file"
        raise UnknownSampleError(msg, name=name, suggestions=[])
    raise _unknown(name, known, "sample hierarchy")


def sample_path(name: str) -> Path:
    """Return where the file of a sample lies.

    Parameters
    ----------
    name : str
        The file's name, with its suffix or without: ``"mammals"``, ``"cell_types.obo"``, ``"README.md"``.

    Returns
    -------
    Path
        An existing file. It belongs to the installation: copy it before changing it.

    Examples
    --------
    >>> sample_path("mammals").name
    'mammals.nwk'
    """
    files = {path.name: path for path in sorted(_folder().iterdir()) if path.suffix in (".nwk", ".obo", ".md")}
    for file_name, path in files.items():
        if name in (file_name, path.stem):
            return path
    raise _unknown(name, list(files), "sample file")


def _unknown(name: str, known: list[str], what: str) -> UnknownSampleError:
    from difflib import get_close_matches

    near = get_close_matches(name, known, n=2, cutoff=0.6) if isinstance(name, str) else []
    hint = f" (did you mean {' or '.join(map(repr, near))}?)" if near else ""
    msg = f"there is no {what} {name!r}{hint}; there are {', '.join(known)}"
    return UnknownSampleError(msg, name=name, suggestions=near)


def _folder() -> Path:
    """Return the folder of the samples: in the installed package, or beside it in a checkout that is not installed."""
    from importlib.resources import files

    try:
        folder = Path(str(files(_PACKAGE)))
    except ModuleNotFoundError:
        folder = Path(__file__).resolve().parents[2] / _FOLDER
    if not folder.is_dir():
        msg = f"the folder of sample hierarchies is missing: {folder}; install tripletree again"
        raise FileNotFoundError(msg)
    return folder
