"""sample_names: names of the rows beside an array, alone and through scikit-learn's pipelines and searches."""

import warnings

import numpy as np
import pytest
import sklearn
from sklearn.model_selection import GridSearchCV, cross_validate
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree.cluster import DivisiveReCon, ReCon

RNG = np.random.default_rng(3)
CLASSES = np.repeat([0, 1, 2], 10)
X = CLASSES[:, None] * 3.0 + RNG.normal(size=(30, 2))
NAMES = [f"sample {i}" for i in range(30)]
TRIPLETS = tt.sample_class_triplets(CLASSES, 40, random_state=0)
NAMED_TRIPLETS = [tuple(NAMES[i] for i in row) for row in TRIPLETS.rows.tolist()]


def made(method, **parameters):
    seed = {"random_state": 0} if "random_state" in method().get_params() else {}
    return method(n_clusters=3, **seed, **parameters)


@pytest.mark.parametrize("method", [ReCon, DivisiveReCon])
def test_sample_names__triplets_and_hierarchies(method):
    model = made(method).fit(X, triplets=NAMED_TRIPLETS, sample_names=NAMES)
    assert list(model.hierarchy_.leaves) == NAMES
    assert model.labels_.tolist() == made(method).fit(X, triplets=TRIPLETS).labels_.tolist()
    taxonomy = tt.Hierarchy.from_nested([[[NAMES[0], NAMES[3]], NAMES[20]], "elsewhere"])
    model = made(method).fit(X, hierarchy=taxonomy, sample_names=NAMES)
    assert tt.displays(model.hierarchy_, tt.TripletSet.from_labels([(NAMES[0], NAMES[3], NAMES[20])])).all()
    twice = [NAMES[0], *NAMES[:-1]]
    with pytest.raises(tt.errors.DuplicateLeafError):
        made(method).fit(X, triplets=NAMED_TRIPLETS, sample_names=twice)


@pytest.mark.parametrize("method", [ReCon, DivisiveReCon])
@pytest.mark.usefixtures("few_trees")
def test_sample_names__validation_uses_them(method):
    by_row = made(method).fit(X, triplets=TRIPLETS, validate=True).validation_
    by_name = made(method).fit(X, triplets=NAMED_TRIPLETS, sample_names=NAMES, validate=True).validation_
    assert by_name.settings == by_row.settings
    assert by_name.agreement.tolist() == pytest.approx(by_row.agreement.tolist(), abs=0.1)  # triplets in another order


def test_sample_names__are_routed_and_cut_with_X():
    """One search over arrays, triplets by name: no warning, and each fold uses the triplets on its own samples."""
    with sklearn.config_context(enable_metadata_routing=True), warnings.catch_warnings():
        warnings.simplefilter("error")
        model = ReCon(3, linkage="ward", missing_samples="ignore").set_fit_request(triplets=True, sample_names=True)
        pipe = make_pipeline(StandardScaler(), model)
        search = GridSearchCV(pipe, {"recon__linkage": ["ward", "average"]}, cv=3, scoring=scored, error_score="raise")
        knowledge = tt.TripletSet.from_labels(NAMED_TRIPLETS)
        search.fit(X, CLASSES, triplets=knowledge, sample_names=NAMES)
    assert search.best_estimator_[-1].n_triplets_ == len(knowledge)
    assert list(search.best_estimator_[-1].hierarchy_.leaves) == NAMES
    folds = cross_validate(
        pipe_of(),
        X,
        CLASSES,
        params={"recon__triplets": knowledge, "recon__sample_names": NAMES},
        cv=3,
        scoring=scored,
        return_estimator=True,
        error_score="raise",
    )
    assert all(0 < x[-1].n_triplets_ < len(knowledge) for x in folds["estimator"])


def pipe_of():
    return make_pipeline(StandardScaler(), ReCon(3, missing_samples="ignore"))


def scored(estimator, data, classes):
    return tt.rand_index(classes, estimator.predict(data))
