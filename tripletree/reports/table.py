"""Step 2 of `report`: the table as numbers, its scales, and the distances under a metric."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np

from tripletree.core.checks import counted
from tripletree.core.leaves import LeafIndex

if TYPE_CHECKING:
    from tripletree.cluster.gower import MixedColumns

#: Share of the variance from which a few features are said to decide distances, and how many times that of the next
#: one the variance of each is then, if they are several.
DOMINANT, POWERS_OF_TEN = 0.8, 100.0


def shares_of_variance(values: np.ndarray) -> np.ndarray:
    """The part of the variance of all columns that each has: float64[n_features], 0 where nothing varies."""
    variance = np.nan_to_num(_column_variances(values))
    return variance / variance.sum() if variance.sum() > 0 else variance


def standardized(values: np.ndarray) -> np.ndarray:
    """Columns with mean 0 and standard deviation 1 (0 if they are constant), of the cells that are not NaN."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message=".*(All-NaN|Mean of empty|Degrees of freedom).*")
        varies = np.nanmax(values, axis=0) > np.nanmin(values, axis=0)  # deviations of constants are rounded, too
        deviation = np.where(varies, np.nanstd(values, axis=0), 1.0)
        found = np.where(varies, values - np.nanmean(values, axis=0), 0.0) / deviation
    found[np.isnan(values)] = np.nan
    return found


class Described(NamedTuple):
    """The numbers by which clusters are described, whatever they were made from."""

    values: np.ndarray
    features: tuple[str, ...]


def measured_by(
    metric: str | None,
    model: Any,
    values: np.ndarray,
    features: tuple[str, ...],
    standardize: bool,
    columns: MixedColumns | None,
) -> tuple[Any, np.ndarray, Described | None]:
    """The estimator, its input (samples, or their distances under a metric), and the values that describe clusters."""
    from scipy.spatial.distance import squareform
    from sklearn.base import clone

    from tripletree.cluster.distances import METRICS, WITH_MISSING, condensed_distances, metric_parameters

    if metric is None and getattr(model, "metric", None) == "precomputed":
        return model, values, None
    points = standardized(values) if standardize else values
    if metric is None:
        return model, points, Described(values, features)
    known = (*METRICS, *WITH_MISSING, "precomputed")
    if metric not in known:
        msg = f"metric={metric!r} is not known; choose one of {', '.join(known)}"
        raise ValueError(msg)
    if "metric" not in model.get_params():
        msg = f"{type(model).__name__} takes no metric: leave metric={metric!r} out, or give another estimator"
        raise TypeError(msg)
    if metric == "precomputed":
        if standardize:
            msg = "metric='precomputed' takes distances as they are: leave out standardize=True"
            raise ValueError(msg)
        return clone(model).set_params(metric=metric), values, None
    if columns is not None and standardize:
        msg = "metric='gower' divides numbers by their range itself: leave out standardize=True"
        raise ValueError(msg)
    if metric not in WITH_MISSING and np.isnan(points).any():
        msg = (
            f"X holds NaN, which metric={metric!r} does not take: fill the gaps in, or take 'nan_euclidean' or 'gower'"
        )
        raise ValueError(msg)
    if metric in ("euclidean", "cosine"):
        return clone(model).set_params(metric=metric), points, Described(values, features)
    distances = squareform(condensed_distances(points, metric, metric_parameters(points, metric, columns)))
    described = Described(values, features) if columns is None else _described(values, features, columns)
    return clone(model).set_params(metric="precomputed"), distances, described


def _described(coded: np.ndarray, features: tuple[str, ...], columns: MixedColumns) -> Described:
    """Columns of numbers as they are, and for each category of the others whether a sample is of it."""
    values, names = [], []
    for name, column, levels, scale in zip(features, coded.T, columns.levels, columns.scale, strict=True):
        if levels is None or not np.isnan(scale):
            values.append(column)
            names.append(name)
            continue
        for category, code in levels.items():
            values.append(np.where(np.isnan(column), np.nan, column == code))
            names.append(f"{name} = {category}")
    return Described(np.stack(values, axis=1), tuple(names))


def _column_variances(points: np.ndarray) -> np.ndarray:
    """Return the variance of the known values of each column. NaN for a column without values."""
    known = (~np.isnan(points)).sum(axis=0)
    with np.errstate(invalid="ignore"):
        mean = np.nansum(points, axis=0) / known
        return np.nansum((points - mean) ** 2, axis=0) / known


def as_table(
    X: Any, sample_names: Any, feature_names: Any, columns: MixedColumns | None
) -> tuple[np.ndarray, LeafIndex, tuple[str, ...]]:
    """The values, encoded if there are categories, the names of the rows and of the columns."""
    from tripletree.cluster.base import HierarchicalClusterer, check_frame, check_samples
    from tripletree.knowledge.alignment import index_labels

    if hasattr(X, "tocsr"):
        msg = (
            "X is sparse, and a report needs dense X, as it shows means of columns: X.toarray() if that fits into "
            "memory, or fewer columns (TruncatedSVD); evaluate_knowledge(X, ..., estimator=ReCon()) takes sparse X"
        )
        raise TypeError(msg)
    if columns is not None:
        check_frame(X, tells_ids=True, takes_words=True)
        points = columns.encoded(X)
    else:
        points = check_samples(HierarchicalClusterer(), X, reset=True, missing=True)
    if len(points) < 3:
        msg = f"X has {counted(len(points), 'sample')}; a report needs at least 3"
        raise ValueError(msg)
    index = index_labels(X) or range(len(points))
    names = LeafIndex(list(index if sample_names is None else sample_names))
    if len(names) != len(points):
        msg = f"sample_names has {len(names)} names, X has {len(points)} rows: give one name for each row"
        raise ValueError(msg)
    if feature_names is None:
        feature_names = list(X.columns) if hasattr(X, "columns") else range(points.shape[1])
    features = tuple(map(str, feature_names))
    if len(features) != points.shape[1]:
        msg = f"feature_names has {len(features)} names, X has {points.shape[1]} columns: give one for each"
        raise ValueError(msg)
    return points, names, features


def told_of_scale(shares: np.ndarray, features: Sequence[str], *, needs_gap: bool = False) -> str | None:
    """What is said of the few features that alone decide distances: a sentence that the cure ends. None without such.

    One feature does by its share alone, unless `needs_gap`. Several, at most half of all, do if the next one has less
    than a hundredth of the variance of each.
    """
    order = np.argsort(-shares, kind="stable")
    sorted_shares = shares[order]
    gaps = sorted_shares[:-1] >= POWERS_OF_TEN * sorted_shares[1:]
    gaps[1:] &= sorted_shares[2:] > 0  # constant columns are no others
    gaps[:1] |= not needs_gap
    few = np.flatnonzero(gaps & (np.cumsum(sorted_shares)[:-1] > DOMINANT))
    k = int(few[0]) + 1 if few.size else 0
    if not k or k > max(1, shares.size // 2):
        return None
    names = [features[i] for i in order[:k].tolist()]
    several = ", ".join(names[:-1][:4]) + (", ..." if k > 5 else "") + f" and {names[-1]}" if k > 1 else names[0]
    return (
        f"{several} {'have' if k > 1 else 'has'} {sorted_shares[:k].sum():.0%} of the variance of the {shares.size:,} "
        f"features, so distances are mostly those in {'them' if k > 1 else 'it'}. If the units differ, give all "
        "features one scale"
    )
