"""The data sets of the benchmarks: from a folder of UCI files, from scikit-learn, else from OpenML."""

import csv
import gzip
import os
import sys
from pathlib import Path

import numpy as np

FOLDERS = [os.environ.get("TRIPLETREE_DATA", ""), str(Path(__file__).parents[2] / "shared/data/uci")]

#: Sets of which OpenML's name differs from the file's.
OPENML = {"balance.scale": "balance-scale"}


def load(name, dtype=float):
    """Features and classes of a data set: an ARFF file in a known folder, else from OpenML."""
    path = _found(f"{name}.arff.gz", f"arff/{name}.arff.gz")
    if path is not None:
        with gzip.open(path, "rt", encoding="utf-8") as file:
            lines = [line.strip() for line in file]
        attributes = [line.split()[1].strip("'\"").lower() for line in lines if line.lower().startswith("@attribute")]
        start = next(k for k, line in enumerate(lines) if line.lower().startswith("@data"))
        rows = list(csv.reader((x for x in lines[start + 1 :] if x and x[0] != "%"), quotechar="'"))
        y = attributes.index("class") if "class" in attributes else len(attributes) - 1
        X = [[cell for k, cell in enumerate(row) if k != y] for row in rows]
        return np.char.strip(np.array(X, str)).astype(dtype), np.array([row[y].strip() for row in rows])
    from sklearn.datasets import fetch_openml

    try:
        X, y = fetch_openml(OPENML.get(name, name), version=1, return_X_y=True, as_frame=False)
        return X.astype(dtype), y
    except OSError as error:
        print(f"skipped: {name}.arff.gz is in no folder of TRIPLETREE_DATA, and OpenML cannot be reached ({error})")
        sys.exit(0)


def load_seeds():
    """The seeds: whitespace between the columns, the class in the last one."""
    path = _found("seeds_dataset.txt")
    if path is None:
        return load("seeds")
    table = np.loadtxt(path)
    return table[:, :-1], table[:, -1].astype(int)


def standardized(X):
    """Columns with mean 0 and deviation 1; constant ones are 0."""
    deviation = X.std(axis=0)
    return (X - X.mean(axis=0)) / np.where(deviation > 1e-9, deviation, 1.0)


def _found(*names):
    """The first file of these names in a known folder."""
    return next((p for x in FOLDERS if x for name in names if (p := Path(x) / name).exists()), None)
