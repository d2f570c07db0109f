"""tripletree.dask: the same clusters as in memory, on threads and on a cluster of processes, and clear errors."""

import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.sparse import csr_array
from sklearn.base import clone
from sklearn.metrics import adjusted_rand_score

import tripletree as tt
from tripletree import cluster
from tripletree.errors import (
    ClusterCountError,
    DuplicateLeafError,
    InconsistentTripletsError,
    InvalidTripletError,
    ParseError,
    UnknownLeafError,
)

dask = pytest.importorskip("dask")
da = pytest.importorskip("dask.array")
dd = pytest.importorskip("dask.dataframe")
pd = pytest.importorskip("pandas")
pa = pytest.importorskip("pyarrow")
parquet = pytest.importorskip("pyarrow.parquet")

from tripletree.dask import ReCon, displays, triplet_score  # noqa: E402


@pytest.fixture(autouse=True)
def _one_thread():
    with dask.config.set(scheduler="synchronous"):
        yield


@pytest.fixture
def blobs(rng):
    y = rng.integers(0, 4, 900)
    return rng.normal(size=(4, 5))[y] * 6 + rng.normal(size=(900, 5)), y


def few_triplets(y, step=30):
    return tt.sample_class_triplets(y, 20, samples=range(0, len(y), step), random_state=0)


def named_frame(X):
    return pd.DataFrame(X, columns=[f"x{i}" for i in range(X.shape[1])], index=[f"row {i}" for i in range(len(X))])


def by_name(triplets):
    return [tuple(f"row {i}" for i in t) for t in triplets]


# ------------------------------------------------------------------ results


@pytest.mark.parametrize("linkage", ["centroid", "median", "ward"])
@pytest.mark.parametrize("chunks", [(900, 5), (250, 2), (1, 5)])
def test_recon__with_a_centre_for_each_sample_it_is_that_in_memory(blobs, linkage, chunks):
    X, y = blobs
    X, y = X[:150], y[:150]
    triplets = few_triplets(y, 10)
    model = ReCon(4, 200, linkage=linkage).fit(da.from_array(X, chunks=chunks), triplets=triplets)
    one = cluster.ReCon(4, linkage=linkage).fit(X, triplets=triplets)
    labels = model.labels_.compute()
    assert adjusted_rand_score(one.labels_, labels) == 1
    assert np.allclose(np.sort(model.distances_), np.sort(one.distances_))
    assert model.n_micro_clusters_ + triplets.used_leaves.size == model.n_samples_ == 150


def test_recon__with_few_centres_all_triplets_hold_and_clusters_are_those_in_memory(blobs):
    X, y = blobs
    triplets = few_triplets(y)
    model = ReCon(4, 100).fit(da.from_array(X, chunks=(200, 5)), triplets=triplets)
    assert 60 <= model.n_micro_clusters_ <= 200
    assert model.weights_.sum() == 900
    assert len(model.weights_) == model.hierarchy_.n_leaves == model.n_micro_clusters_ + triplets.used_leaves.size
    assert tt.displays(model.hierarchy_, triplets.restrict(triplets.leaves.take(triplets.used_leaves))).all()
    one = cluster.ReCon(4, micro_clusters=100).fit(X, triplets=triplets)
    assert adjusted_rand_score(one.labels_, model.labels_.compute()) == 1
    assert adjusted_rand_score(y, one.labels_) > 0.95


def test_recon__does_not_depend_on_the_chunks(blobs):
    X, y = blobs
    triplets = few_triplets(y)
    models = [
        ReCon(4, 60, linkage="ward").fit(da.from_array(X, chunks=c), triplets=triplets)
        for c in ((900, 5), (90, 5), (333, 2))
    ]
    for model in models[1:]:
        assert np.array_equal(models[0].predictor_.centres, model.predictor_.centres)
        assert np.array_equal(models[0].labels_.compute(), model.labels_.compute())
        assert np.array_equal(models[0].weights_, model.weights_)
    other = ReCon(4, 60, random_state=1).fit(da.from_array(X, chunks=(900, 5)), triplets=triplets)
    assert not np.array_equal(models[0].predictor_.centres, other.predictor_.centres)


def test_recon__of_a_frame_is_that_of_the_array_with_labels(blobs):
    X, y = blobs
    triplets = few_triplets(y)
    frame = named_frame(X)
    of_array = ReCon(4, 100).fit(da.from_array(X, chunks=(225, 5)), triplets=triplets)
    lazy = dd.from_pandas(frame, npartitions=4, sort=False)
    of_frame = ReCon(4, 100).fit(lazy, triplets=by_name(triplets))
    found = of_frame.labels_.compute()
    assert found.index.tolist() == frame.index.tolist()
    assert np.array_equal(found.to_numpy(), of_array.labels_.compute())
    assert of_frame.feature_names_in_.tolist() == list(frame.columns)
    named = [f"row {i}" for i in triplets.used_leaves.tolist()]
    assert set(named) <= set(of_frame.hierarchy_.leaves)
    predicted = of_frame.predict(lazy).compute()
    free = ~frame.index.isin(named)
    assert np.array_equal(predicted[free], found[free])
    assert np.array_equal(of_frame.predict(frame), predicted.to_numpy())


def test_recon__labels_of_the_index_may_be_numbers(blobs):
    X, _ = blobs
    frame = named_frame(X[:60]).set_axis(range(1000, 1060))
    model = ReCon(2, 100).fit(dd.from_pandas(frame, npartitions=3), triplets=[(1000, 1050, 1001)])
    assert tt.displays(model.hierarchy_, tt.TripletSet.from_labels([(1000, 1050, 1001)])).all()
    with pytest.raises(UnknownLeafError, match="'1000'"):
        ReCon(2, 100).fit(dd.from_pandas(frame, npartitions=3), triplets=[("1000", 1050, 1001)])


def test_recon__labels_and_predictions_stay_lazy(blobs):
    X, _ = blobs
    read = []

    def noted(block):
        read.append(len(block))
        return block

    lazy = da.from_array(X, chunks=(300, 5)).map_blocks(noted, dtype=float, meta=np.empty((0, 0)))
    model = ReCon(4, 50).fit(lazy)
    assert read == [300] * 6  # twice: to draw, and to gather
    assert isinstance(model.labels_, da.Array)
    new = model.predict(lazy)
    assert isinstance(new, da.Array)
    assert read == [300] * 6
    assert np.array_equal(model.labels_[:300].compute(), model.predict(X[:300]))
    assert read == [300] * 7
    unknown = lazy[lazy[:, 0] > 0]
    assert np.array_equal(model.predict(unknown).compute(), model.predict(X[X[:, 0] > 0]))


def test_recon__is_an_estimator(blobs):
    X, _ = blobs
    lazy = da.from_array(X, chunks=(300, 5))
    model = ReCon(n_clusters=4, n_centres=50)
    assert clone(model).get_params() == model.get_params()
    assert np.array_equal(model.fit_predict(lazy).compute(), model.labels_.compute())
    before = model.labels_
    with pytest.raises(ValueError, match="NaN"):
        model.fit(da.from_array(np.where(X > 0, X, np.nan), chunks=(300, 5)))
    assert model.labels_ is before


def test_recon__pickles_are_light(rng):
    X = rng.normal(size=(20_000, 4))
    model = ReCon(3, 200).fit(da.from_array(X, chunks=(5_000, 4)))
    content = pickle.dumps(model)
    assert len(content) < X.nbytes / 4
    again = pickle.loads(content)
    assert not hasattr(again, "labels_")
    assert np.array_equal(again.predict(X), model.predict(X))
    assert np.array_equal(pickle.loads(pickle.dumps(model.predictor_)).predict(X), model.predict(X))
    assert len(pickle.dumps(model.predictor_)) < 20_000


def test_recon__chooses_the_number_and_repairs(blobs):
    X, _ = blobs
    lazy = da.from_array(X, chunks=(300, 5))
    model = ReCon(None, 80, linkage="ward").fit(lazy)
    assert model.n_clusters_ == 4
    with pytest.warns(UserWarning, match="contradict"):
        model = ReCon(2, 80, on_conflict="repair").fit(lazy, triplets=[(0, 1, 2), (1, 2, 0)])
    assert len(model.triplets_) == 1


def test_recon__one_sample_and_all_named():
    model = ReCon(1).fit(da.from_array([[1.0, 2.0]], chunks=(1, 2)))
    assert model.labels_.compute().tolist() == [0]
    X = da.from_array([[0.0], [1.0], [5.0]], chunks=(2, 1))
    model = ReCon(2).fit(X, triplets=[(1, 2, 0)])
    assert model.labels_.compute().tolist() == [0, 1, 1]
    assert model.n_micro_clusters_ == 0


# ------------------------------------------------------------------ bad input


def test_errors__of_x(blobs):
    X, _ = blobs
    lazy = da.from_array(X, chunks=(300, 5))
    with pytest.raises(TypeError, match="not ndarray: for data in memory take tripletree.cluster.ReCon"):
        ReCon().fit(X)
    with pytest.raises(ValueError, match=r"call X.compute_chunk_sizes\(\) first"):
        ReCon().fit(lazy[lazy[:, 0] > 0])
    with pytest.raises(ValueError, match="two dimensions"):
        ReCon().fit(lazy[:, 0])
    with pytest.raises(ValueError, match="X has no rows"):
        ReCon().fit(lazy[:0])
    bad = X.copy()
    bad[700, 3] = np.inf
    with pytest.raises(ValueError, match=r"row 700 \(partition 2 of X\) holds NaN or infinity"):
        ReCon().fit(da.from_array(bad, chunks=(300, 5)))
    frame = named_frame(bad)
    with pytest.raises(ValueError, match=r"the row labelled 'row 700' \(partition 3 of X\) holds NaN"):
        ReCon().fit(dd.from_pandas(frame, npartitions=4, sort=False))
    with pytest.raises(ValueError, match="holds something that is not a number"):
        ReCon().fit(dd.from_pandas(frame.assign(x1="text"), npartitions=4, sort=False))
    with pytest.raises(TypeError, match="partition . of X is sparse; make it dense by"):
        ReCon().fit(lazy.map_blocks(csr_array, dtype=float, meta=np.empty((0, 0))))
    with pytest.raises(ValueError, match="squared distances would be infinite; scale the samples"):
        ReCon().fit(lazy * 1e200)
    with pytest.raises(ClusterCountError, match="give more centres, unless the samples have no more places"):
        ReCon(2).fit(da.zeros((50, 2), chunks=(20, 2)))
    with pytest.raises(ClusterCountError):
        ReCon(5).fit(lazy[:3])
    with pytest.raises(ValueError, match="n_centres"):
        ReCon(2, 0).fit(lazy)


def test_errors__partitions_with_other_columns(blobs):
    frame = named_frame(blobs[0])

    def part(i):
        some = frame.iloc[300 * i : 300 * (i + 1)]
        return some if i < 2 else some.rename(columns={"x1": "y1"})

    lazy = dd.from_delayed([dask.delayed(part)(i) for i in range(3)], meta=frame.iloc[:0], verify_meta=False)
    with pytest.raises(ValueError, match=r"partition 2 of X has the columns .*'y1'.*; expected .*'x1'"):
        ReCon().fit(lazy)


def test_errors__of_triplets(blobs):
    X, _ = blobs
    lazy, frame = da.from_array(X, chunks=(300, 5)), named_frame(X)
    with pytest.raises(UnknownLeafError, match="900"):
        ReCon().fit(lazy, triplets=[(0, 1, 900)])
    with pytest.raises(UnknownLeafError, match="the rows of a dask array have numbers"):
        ReCon().fit(lazy, triplets=[("a", "b", "c")])
    with pytest.raises(UnknownLeafError, match="they are not in the index of X, which has 900 rows"):
        ReCon().fit(dd.from_pandas(frame, npartitions=3, sort=False), triplets=[("row 1", "row 2", "rwo 3")])
    twice = pd.concat([frame, frame.iloc[:1]])
    with pytest.raises(DuplicateLeafError, match="'row 0'"):
        ReCon().fit(dd.from_pandas(twice, npartitions=3, sort=False), triplets=[("row 1", "row 2", "row 0")])
    with pytest.raises(InvalidTripletError):
        ReCon().fit(lazy, triplets=[(0, 0, 1)])
    with pytest.raises(TypeError, match="y looks like triplets"):
        ReCon().fit(lazy, [[0, 1, 2], [1, 2, 3], [2, 3, 4]])


def test_errors__contradictions_are_found_before_anything_is_read(blobs):
    def never(block):
        raise AssertionError

    lazy = da.from_array(blobs[0], chunks=(300, 5)).map_blocks(never, dtype=float, meta=np.empty((0, 0)))
    with pytest.raises(InconsistentTripletsError) as caught:
        ReCon().fit(lazy, triplets=[(0, 1, 2), (1, 2, 0)])
    assert len(caught.value.conflict.triplets) == 2


def test_errors__of_predict(blobs):
    X, _ = blobs
    frame = named_frame(X)
    model = ReCon(2, 50).fit(dd.from_pandas(frame, npartitions=2, sort=False))
    for wrong in (X[:, :3], da.from_array(X[:, :3], chunks=(300, 3))):
        with pytest.raises(ValueError, match="X has 3 features; the clusters were fitted on 5"):
            model.predict(wrong)
    with pytest.raises(ValueError, match="the clusters were fitted on"):
        model.predict(frame.rename(columns={"x1": "y1"}))


def test_errors__without_dask_it_says_what_to_install():
    code = (
        "import sys; sys.modules['dask'] = None; from tripletree.dask import ReCon\n"
        "try: ReCon().fit([[0.0]])\nexcept ImportError as error: print(error)"
    )
    root = str(Path(tt.__file__).parents[1])
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": root},
        check=False,
    )
    assert "tripletree.dask needs dask, which is not installed: pip install 'tripletree[dask]'" in done.stdout


# ------------------------------------------------------------------ tables of triplets


@pytest.fixture
def answers(tmp_path, rng):
    h = tt.Hierarchy.from_nested((("a", "b"), ("c", ("d", "e")), "f"))
    rows = np.array([rng.permutation(6)[:3] for _ in range(500)])
    names = np.array(list("abcdef"))[rows]
    table = pa.table({"a": names[:, 0], "b": names[:, 1], "c": names[:, 2], "weight": rng.uniform(0, 2, 500)})
    path = tmp_path / "answers.parquet"
    parquet.write_table(table, path, row_group_size=120)
    return h, path, names, table


def test_tables__are_row_by_row_what_displays_says(answers):
    h, path, names, _ = answers
    found = displays(h, path)
    assert found.chunks == ((120, 120, 120, 120, 20),)
    wanted = [bool(tt.displays(h, tt.TripletSet.from_labels([tuple(row)]))[0]) for row in names.tolist()]
    assert found.compute().tolist() == wanted
    assert displays(h, [path, str(path)]).compute().tolist() == wanted * 2
    assert not all(wanted)
    assert any(wanted)


def test_tables__scores_are_those_of_batches(answers):
    h, path, names, table = answers
    held = displays(h, path).compute()
    weight = table["weight"].to_numpy()
    assert triplet_score(h, path) == pytest.approx(weight[held].sum() / weight.sum())
    assert triplet_score(h, path, weight=None) == pytest.approx(held.mean())
    _, first = np.unique(names, axis=0, return_index=True)
    distinct = path.with_name("distinct.parquet")
    parquet.write_table(table.take(np.sort(first)), distinct, row_group_size=10)
    some = tt.io.read_triplet_batches(distinct, size=10)
    keys = {tuple(sorted(row[:2])) + (row[2],) for row in names.tolist()}
    if len(keys) == len(first):  # ab|c and ba|c are one triplet
        assert triplet_score(h, distinct) == pytest.approx(tt.triplet_score(h, some))


def test_tables__an_empty_one(tmp_path):
    h = tt.parse_newick("((a,b),c);")
    empty = pa.table({x: pa.array([], pa.string()) for x in "abc"})
    parquet.write_table(empty, tmp_path / "none.parquet")
    assert triplet_score(h, tmp_path / "none.parquet") == 1.0
    assert displays(h, tmp_path / "none.parquet").compute().size == 0


def test_tables__errors_say_where(answers, tmp_path):
    h, path, _, table = answers
    with pytest.raises(FileNotFoundError, match=r"nowhere.parquet"):
        displays(h, tmp_path / "nowhere.parquet")
    (tmp_path / "text.parquet").write_text("a,b,c\n")
    with pytest.raises(ParseError, match=r"text.parquet: not a Parquet file"):
        displays(h, tmp_path / "text.parquet")
    with pytest.raises(ParseError, match="no column 'x'; the columns are a, b, c, weight"):
        displays(h, path, columns=("x", "b", "c"))
    with pytest.raises(UnknownLeafError, match="labels of the column a of .*answers.parquet: 'c'"):
        displays(tt.parse_newick("((a,b),(d,e),f);"), path).compute()
    columns = {name: table[name].to_pylist() for name in table.column_names}
    for name, row, value, message in [
        ("a", 130, None, "row 131 has nothing in the column a"),
        ("a", 250, columns["b"][250], "row 251 names a sample twice"),
        ("weight", 499, -1.0, "row 500 has the weight -1"),
    ]:
        bad = {x: list(y) for x, y in columns.items()}
        bad[name][row] = value
        parquet.write_table(pa.table(bad), tmp_path / "bad.parquet", row_group_size=120)
        with pytest.raises(ParseError, match=message):
            triplet_score(h, tmp_path / "bad.parquet")


# ------------------------------------------------------------------ processes


@pytest.fixture(scope="module")
def client():
    distributed = pytest.importorskip("distributed")
    with (
        distributed.LocalCluster(
            n_workers=2, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", memory_limit="2GiB"
        ) as machine,
        distributed.Client(machine) as one,
    ):
        yield one


def test_cluster__gives_what_one_thread_gives(client, blobs, answers):
    X, y = blobs
    triplets = few_triplets(y)
    lazy = da.from_array(X, chunks=(150, 5))
    here = ReCon(4, 80).fit(lazy, triplets=triplets)
    with dask.config.set(scheduler=client):
        there = ReCon(4, 80, verbose=True).fit(lazy, triplets=triplets)
        assert np.array_equal(there.labels_.compute(), here.labels_.compute())
        assert triplet_score(answers[0], answers[1]) == triplet_score(answers[0], answers[1], verbose=True)
        with pytest.raises(ValueError, match="holds NaN"):
            ReCon().fit(da.full((900, 5), np.nan, chunks=(300, 5)))
        with pytest.raises(UnknownLeafError):
            displays(tt.parse_newick("((a,b),(d,e),f);"), answers[1]).compute()
    assert np.array_equal(there.weights_, here.weights_)
    with dask.config.set(scheduler="synchronous"):
        assert triplet_score(answers[0], answers[1]) == pytest.approx(0.33, abs=0.2)


def test_cluster__a_lost_worker_is_made_up_for_and_nothing_counts_twice(client, blobs, tmp_path):
    X, y = blobs
    triplets = few_triplets(y)
    mark = tmp_path / "killed"

    def block(i):
        if i == 3 and not mark.exists():
            mark.write_text("")
            os._exit(1)
        return X[150 * i : 150 * (i + 1)]

    parts = [da.from_delayed(dask.delayed(block)(i), (150, 5), dtype=float) for i in range(6)]
    with dask.config.set(scheduler=client):
        model = ReCon(4, 80).fit(da.concatenate(parts), triplets=triplets)
        labels = model.labels_.compute()
    assert mark.exists()
    assert model.weights_.sum() == 900
    here = ReCon(4, 80).fit(da.from_array(X, chunks=(150, 5)), triplets=triplets)
    assert np.array_equal(labels, here.labels_.compute())
