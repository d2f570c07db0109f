"""scikit-learn where it measures the same."""

import numpy as np
import pytest
from sklearn.metrics import pair_confusion_matrix, rand_score

from tripletree.evaluation.scores import constrained_rand_index, pairwise_precision_recall, rand_index


@pytest.mark.parametrize("n", [0, 1, 2, 3, 10, 300])
def test_sklearn__rand_score(n, rng):
    for k in (1, 2, 5, max(n, 1)):
        y_true, y_pred = rng.integers(0, k, n), rng.integers(0, k + 1, n)
        expected = rand_score(y_true, y_pred)
        assert rand_index(y_true, y_pred) == pytest.approx(expected, rel=1e-15)
        assert constrained_rand_index(y_true, y_pred) == rand_index(y_true, y_pred)


def test_sklearn__pair_confusion_matrix(rng):
    for _ in range(20):
        y_true, y_pred = rng.integers(0, 4, 60), rng.integers(0, 6, 60)
        (_, apart), (split, both) = (pair_confusion_matrix(y_true, y_pred) // 2).tolist()
        assert pairwise_precision_recall(y_true, y_pred) == (both / (both + apart), both / (both + split))


def test_sklearn__rand_score_of_the_samples_outside_the_constraints(rng):
    """If the constraints tie some samples and keep them from all others, the open pairs lie among the rest."""
    y_true, y_pred = rng.integers(0, 3, 80), rng.integers(0, 4, 80)
    tied, rest = np.arange(30), np.arange(30, 80)
    must = np.stack([tied[:-1], tied[1:]], axis=1)
    cannot = np.stack([rng.choice(tied, rest.size), rest], axis=1)
    found = constrained_rand_index(y_true, y_pred, must_link=must, cannot_link=cannot)
    assert found == pytest.approx(rand_score(y_true[rest], y_pred[rest]), rel=1e-15)
