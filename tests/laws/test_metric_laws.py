"""Laws of learned metrics: the conditions of optimality of their programmes, and no better point anywhere."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog, minimize
from scipy.spatial.distance import squareform

from tripletree.algorithms.cut import cut
from tripletree.algorithms.induce import all_triplets, displays
from tripletree.core.hierarchy import Hierarchy
from tripletree.metrics import MahalanobisMetric, SVMMetric, taxonomy_linkage
from tripletree.metrics.mahalanobis import frame_of
from tripletree.metrics.svm import primal, solved

seeds = st.integers(0, 2**32 - 1)


def random_case(seed, n=14, d=3, m=25):
    """Samples, and comparisons of which most follow a hidden metric. Rows (anchor, near, far)."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)) * rng.uniform(0.3, 3.0, d)
    rows = np.array([rng.permutation(n)[:3] for _ in range(m)])
    hidden = X @ rng.normal(size=(d, d))
    a, b, c = rows.T
    wrong = np.square(hidden[a] - hidden[b]).sum(axis=1) > np.square(hidden[a] - hidden[c]).sum(axis=1)
    rows[wrong] = rows[wrong][:, [0, 2, 1]]
    flip = rng.random(m) < 0.15
    rows[flip] = rows[flip][:, [0, 2, 1]]
    return X, rows


def svm_objective(w, X, rows, C, A):
    """The programme of Schultz and Joachims, as it is written."""
    a, b, c = (X[rows[:, k]] for k in range(3))
    M = A @ np.diag(w) @ A.T
    far = np.einsum("ij,jk,ik->i", a - c, M, a - c)
    near = np.einsum("ij,jk,ik->i", a - b, M, a - b)
    return np.square(M).sum() / 2 + C * np.maximum(0, 1 - (far - near)).sum()


def mahalanobis_objective(M, X, rows, regularization, shrinkage):
    """The programme of `MahalanobisMetric`, as it is written, for samples of full rank."""
    a, b, c = (X[rows[:, k]] for k in range(3))
    far = np.einsum("ij,jk,ik->i", a - c, M, a - c)
    near = np.einsum("ij,jk,ik->i", a - b, M, a - b)
    z = 1 + near - far
    hinge = np.where(z < 0, 0.0, np.where(z < 1, z**2 / 2, z - 0.5))
    covariance = np.cov(X.T, bias=True)
    drawn = shrinkage * np.trace(covariance) / len(M) * np.eye(len(M)) + (1 - shrinkage) * covariance
    return hinge.mean() + regularization * np.trace(M @ drawn)


# ------------------------------------------------------------------ SVMMetric


@settings(max_examples=25)
@given(seeds, st.sampled_from([0.01, 1.0, 10.0]), st.booleans())
def test_svm__no_other_weights_are_better(seed, C, turned):
    X, rows = random_case(seed)
    rng = np.random.default_rng(seed)
    A = rng.normal(size=(3, 4)) if turned else np.eye(3)
    metric = SVMMetric(C=C, A=A if turned else "identity", on_degenerate="euclidean")
    metric.fit(X, comparisons=rows)
    if np.isnan(metric.objective_):
        return
    found = svm_objective(metric.weights_, X, rows, C, A)
    assert metric.objective_ == pytest.approx(found, rel=1e-6)
    assert (metric.weights_ >= 0).all()
    for _ in range(60):
        step = rng.normal(size=A.shape[1]) * 10.0 ** rng.uniform(-5, 0) * metric.weights_.max()
        other = np.maximum(0, metric.weights_ + step)
        assert svm_objective(other, X, rows, C, A) >= found * (1 - 2e-6)


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")  # as near as float64 lets it come
@settings(max_examples=20)
@given(seeds)
def test_svm__the_gap_is_proved_by_multipliers(seed):
    # Karush, Kuhn, Tucker: w = max(0, sum alpha u), alpha = C above the margin, 0 below it, between on it
    X, rows = random_case(seed)
    a, b, c = (X[rows[:, k]] for k in range(3))
    more = np.square(a - c) - np.square(a - b)
    if (more.sum(axis=0) <= 0).all():
        return
    w = SVMMetric(tol=1e-10).fit(X, comparisons=rows).weights_
    slack = 1 - more @ w
    on = np.abs(slack) < 1e-4
    # among the multipliers that the slacks allow are some of which w is the answer, up to rounding
    bounds = [(0.0, 1.0) if near else (float(z > 0),) * 2 for z, near in zip(slack, on, strict=True)]
    off = -np.ones((3, 1))  # the last variable bounds all differences
    free = w > 1e-6
    upper = np.r_[np.c_[more.T, off], np.c_[-more.T, off][free]]
    done = linprog(np.r_[np.zeros(len(rows)), 1.0], upper, np.r_[w, -w[free]], bounds=[*bounds, (0, None)])
    assert done.status == 0
    assert done.fun < 1e-3 * max(np.abs(w).max(), np.abs(more).max())


@settings(max_examples=15)
@given(seeds)
def test_svm__agrees_with_a_general_solver(seed):
    X, rows = random_case(seed, m=8)
    a, b, c = (X[rows[:, k]] for k in range(3))
    more = np.square(a - c) - np.square(a - b)
    m, d = more.shape
    done = minimize(
        lambda z: z[:d] @ z[:d] / 2 + z[d:].sum(),
        np.r_[np.zeros(d), np.ones(m)],
        jac=lambda z: np.r_[z[:d], np.ones(m)],
        bounds=[(0, None)] * (d + m),
        constraints={
            "type": "ineq",
            "fun": lambda z: more @ z[:d] - 1 + z[d:],
            "jac": lambda z: np.c_[more, np.eye(m)],
        },
        method="SLSQP",
        options={"maxiter": 500, "ftol": 1e-12},
    )
    found = solved(more, np.ones(m), None, tol=1e-9, max_iter=10_000)
    assert found.objective == pytest.approx(primal(found.weights, more, np.ones(m), None))
    assert found.objective == pytest.approx(done.fun, rel=1e-5)


# ------------------------------------------------------------------ MahalanobisMetric


@settings(max_examples=25)
@given(seeds, st.sampled_from([0.003, 0.1]), st.sampled_from([0.0, 0.5, 1.0]))
def test_mahalanobis__the_slope_at_the_metric_proves_it_the_best(seed, regularization, shrinkage):
    # for a convex programme over semidefinite M: no direction falls (slope >= 0), and none of M's own rises or falls
    X, rows = random_case(seed)
    metric = MahalanobisMetric(
        regularization=regularization, shrinkage=shrinkage, tol=1e-15, max_iter=20_000, on_degenerate="euclidean"
    )
    metric.fit(X, comparisons=rows)
    if np.isnan(metric.objective_):
        return
    T = frame_of(X, shrinkage)
    M = metric.components_.T @ metric.components_
    value = mahalanobis_objective(M, X, rows, regularization, shrinkage)
    assert metric.objective_ == pytest.approx(value, rel=1e-5)
    slope = np.zeros((3, 3))
    for i in range(3):
        for j in range(3):
            step = np.zeros((3, 3))
            step[i, j] += 0.5
            step[j, i] += 0.5
            step = 1e-5 * T @ step @ T.T
            up = mahalanobis_objective(M + step, X, rows, regularization, shrinkage)
            slope[i, j] = (up - mahalanobis_objective(M - step, X, rows, regularization, shrinkage)) / 2e-5
    assert np.linalg.eigvalsh(slope)[0] > -2e-3 * regularization - 1e-6
    inside = np.linalg.solve(T, metric.components_.T)  # M in the frame of the slope
    assert np.abs(slope @ inside).max() < 5e-3 * regularization * max(1.0, np.abs(inside).max())


@settings(max_examples=10)
@given(seeds)
def test_mahalanobis__no_other_metric_is_better(seed):
    X, rows = random_case(seed)
    metric = MahalanobisMetric(on_degenerate="euclidean").fit(X, comparisons=rows)
    if np.isnan(metric.objective_):
        return
    rng = np.random.default_rng(seed)
    for _ in range(40):
        L = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-2, 0.5)
        near = metric.components_.T @ metric.components_
        other = near + 10.0 ** rng.uniform(-4, 0) * (L.T @ L - near)
        assert mahalanobis_objective(other, X, rows, 0.1, 0.5) >= metric.objective_ * (1 - 1e-6)


@settings(max_examples=10)
@given(seeds)
def test_mahalanobis__a_linear_map_of_the_samples_changes_nothing_without_shrinkage(seed):
    X, rows = random_case(seed)
    turn = np.random.default_rng(seed + 1).normal(size=(3, 3)) + 2 * np.eye(3)
    if np.linalg.cond(turn) > 100:
        return
    settings_ = {"shrinkage": 0.0, "on_degenerate": "euclidean", "tol": 1e-14, "max_iter": 10_000}
    plain, turned = (MahalanobisMetric(**settings_).fit(Y, comparisons=rows) for Y in (X, X @ turn))
    assert np.nan_to_num(turned.objective_) == pytest.approx(np.nan_to_num(plain.objective_), rel=1e-6)


# ------------------------------------------------------------------ taxonomy_linkage


@settings(max_examples=25)
@given(seeds, st.sampled_from(["average", "weighted", "complete", "single"]))
def test_taxonomy__a_large_weight_displays_it_and_its_own_data_give_it_back(seed, method):
    rng = np.random.default_rng(seed)
    n = int(rng.integers(3, 12))
    parts = list(range(n))
    while len(parts) > 1:
        size = min(len(parts), int(rng.integers(2, 4)))
        chosen = sorted(rng.permutation(len(parts))[:size].tolist(), reverse=True)
        parts.append([parts.pop(k) for k in chosen])
    tree = Hierarchy.from_nested(parts[0])
    X = rng.normal(size=(n, 2))
    found = taxonomy_linkage(X, tree, weight=1e4, linkage=method)
    assert displays(found, all_triplets(tree)).all()
    assert taxonomy_linkage(squareform(rng.random(n * (n - 1) // 2)), tree, metric="precomputed").n_leaves == n
    assert len(set(cut(found, 2, rule="merge_order").tolist())) == 2
