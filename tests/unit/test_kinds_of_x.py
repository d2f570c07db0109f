"""Every estimator and every kind of X: as with an array of the same numbers, or one error with a cure that works."""

import inspect
import re
import warnings

import numpy as np
import pandas as pd
import polars
import pyarrow
import pytest
import scipy.sparse

from tripletree import cluster
from tripletree.cluster.base import ESTIMATORS

N = 24
CLASS = np.arange(N) % 3
X = np.round(np.random.default_rng(0).normal(size=(N, 4)) + 6 * np.eye(3, 4)[CLASS])  # exact in each type
NAMES = list("pqrs")
FRAME = pd.DataFrame(X, columns=NAMES)
SPARSE = {
    f"{kind}_{what}": getattr(scipy.sparse, f"{kind}_{what}")(X)
    for kind in ("csr", "csc", "coo", "lil", "dok", "bsr", "dia")
    for what in ("array", "matrix")
} | {
    "csr of float32": scipy.sparse.csr_array(X.astype(np.float32)),
    "csr of int": scipy.sparse.csr_array(X.astype(int)),
}
SPARSE["sparse columns"] = FRAME.astype(pd.SparseDtype("float", 0.0))
DENSE = {
    "lists": X.tolist(),
    **{kind: X.astype(kind) for kind in ("float32", "float16", "int8", "longdouble", ">f8", "object")},
    "Fortran's order": np.asfortranarray(X),
    "every second column": np.repeat(X, 2, axis=1)[:, ::2],
    "backwards": X[::-1].copy()[::-1],
    "masked, nothing hidden": np.ma.masked_array(X),
    "pandas": FRAME,
    "pandas, names of rows": FRAME.set_axis([f"s{i}" for i in range(N)]),
    "pandas, gaps allowed": FRAME.convert_dtypes(),
    "pandas, Float64": FRAME.astype("Float64"),
    "pandas, Arrow": FRAME.astype("double[pyarrow]"),
    "pandas, int of Arrow": FRAME.astype("int64[pyarrow]"),
    "pandas, categories that are numbers": FRAME.assign(p=FRAME.p.astype("category")),
    "pandas, two levels of columns": FRAME.set_axis(pd.MultiIndex.from_product([["of"], NAMES]), axis=1),
    "polars": polars.DataFrame(X, schema=NAMES),
    "polars, int": polars.DataFrame(X, schema=NAMES).cast(polars.Int32),
    "polars, Decimal": polars.DataFrame(X, schema=NAMES).cast(polars.Decimal(10, 2)),
    "Arrow": pyarrow.Table.from_pandas(FRAME),
    "Arrow, in parts": pyarrow.concat_tables([pyarrow.Table.from_pandas(x) for x in (FRAME[:7], FRAME[7:])]),
    "Arrow, a batch": pyarrow.RecordBatch.from_pandas(FRAME),
}
FITTED = sorted(name for name, x in ESTIMATORS.items() if hasattr(x, "fit") and not inspect.isabstract(x))


def fitted(name, given):
    """Labels, and the prediction for the same rows."""
    kind = ESTIMATORS[name]
    takes = inspect.signature(kind).parameters
    options = {"n_clusters": 3, "random_state": 0, "n_init": 1, "n_questions": 0}
    known = {"times": np.zeros(N)} if name == "TemporalClustering" else {}
    if name == "ActiveClustering":
        model = kind(cluster.PCKMeans(3, n_init=1, random_state=0), n_queries=0)
    else:
        model = kind(**{x: value for x, value in options.items() if x in takes})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        model.fit(given, **known)
        found = [model.labels_]
        if hasattr(model, "predict"):
            found.append(model.predict(given))
    return [np.asarray(x).tolist() for x in found]


@pytest.mark.parametrize("name", FITTED)
def test_x__of_each_kind_gives_the_same(name, tmp_path):
    wanted = fitted(name, X)
    np.save(tmp_path / "x.npy", X)
    kinds = {**DENSE, "a file in memory": np.load(tmp_path / "x.npy", mmap_mode="r")}
    kinds["read only"] = X.copy()
    kinds["read only"].setflags(write=False)
    differing = [kind for kind, given in kinds.items() if fitted(name, given) != wanted]
    assert differing == []


@pytest.mark.parametrize("name", FITTED)
def test_x__sparse_gives_the_same_or_an_error_with_a_cure_that_works(name):
    wanted = fitted(name, X)
    for given in SPARSE.values():
        try:
            found = fitted(name, given)
        except TypeError as error:
            cure = re.search(r"or give (X\.(?:toarray|sparse\.to_dense)\(\)) if", str(error))
            found = fitted(name, eval(cure[1], {"X": given})) if cure else str(error)
        assert found == wanted


@pytest.mark.parametrize("name", FITTED)
@pytest.mark.parametrize(
    ("given", "told"),
    [
        (FRAME.assign(p="k" + FRAME.p.astype(str)), r"must hold numbers, not text in the column p"),
        (FRAME.assign(p=pd.Timestamp("2026-01-01")), r"column 'p'(: X.drop\(columns=\['p'\]\)| of X holds dates)"),
        (FRAME.mask(FRAME.index.to_series() == 3), r"X contains NaN: 4 missing values, the first in row 3, column 'p'"),
        (polars.DataFrame(X, schema=NAMES).lazy(), r"LazyFrame is a query, .* give what .collect\(\) returns"),
    ],
    ids=["text", "times", "gaps", "a query"],
)
def test_x__what_holds_no_numbers_is_refused_in_one_sentence(name, given, told):
    with pytest.raises((TypeError, ValueError), match=told):
        fitted(name, given)
