"""Groups of hidden samples: `predict_taxon` beside nearest neighbours and classifiers trained for one level.

``TRIPLETREE_DATA=FOLDER python benchmarks/bench_taxon.py`` prints the share of right names in five folds. FOLDER has
palms.csv.xz and birds.csv.xz with their taxonomies; packages come from apt's lists.
"""

import os
import warnings
from pathlib import Path

import numpy as np
import pandas as pd
from _kinds import packages
from sklearn.ensemble import RandomForestClassifier
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import KFold
from sklearn.neighbors import KNeighborsClassifier
from sklearn.preprocessing import StandardScaler

import tripletree as tt
from tripletree.cluster import DivisiveReCon

CLASSIFIERS = {
    "nearest": KNeighborsClassifier(1),
    "logistic": LogisticRegression(max_iter=2000),
    "forest": RandomForestClassifier(300, random_state=0),
}


def tables():
    """Names, features and the groups of each row, the largest first."""
    for folder in os.environ.get("TRIPLETREE_DATA", "").split(os.pathsep):
        for name in ("palms", "birds"):
            path = Path(folder, f"{name}.csv.xz")
            if path.exists():
                X = pd.read_csv(path).iloc[:400, 1:]
                groups = pd.read_csv(path.with_name(f"{name}_taxonomy.csv.xz")).iloc[:400, 1:]
                yield name, X.fillna(X.median()).to_numpy(), groups.to_numpy(str), True
    paths, X = packages()
    some = np.sort(np.random.default_rng(0).permutation(len(paths))[:500])
    yield "packages", X[some], np.array([paths[k] for k in some], str), False


def taxonomy(paths):
    """Hierarchy over 0..n-1 whose inner nodes are called by the groups."""
    groups = sorted({(-k, x) for path in paths for k, x in enumerate(path)})
    number = {x: len(paths) + k for k, (_, x) in enumerate(groups)}
    root = len(paths) + len(groups)
    above = [number[x.rpartition("/")[0]] if "/" in x else root for _, x in groups]
    return tt.Hierarchy([*(number[path[-1]] for path in paths), *above, -1], range(len(paths)), names=[*number, "all"])


def main():
    warnings.filterwarnings("ignore", message="The number of unique classes")  # genera have few species
    for name, X, groups, scale in tables():
        depth, right, seen = groups.shape[1], {}, np.zeros(groups.shape[1])
        for known, hidden in KFold(5, shuffle=True, random_state=0).split(X):
            scaler = StandardScaler().fit(X[known]) if scale else None
            A, B = (x if scaler is None else scaler.transform(x) for x in (X[known], X[hidden]))
            levels = [["/".join(row[: k + 1]) for row in groups] for k in range(depth)]
            tree = taxonomy([[x[i] for x in levels] for i in known.tolist()])
            found = DivisiveReCon(2, effort=0).fit(A, hierarchy=tree).predict_taxon(B)
            for k, told in enumerate(levels):
                train, test = np.array(told)[known], np.array(told)[hidden]
                some = np.isin(test, train)
                seen[k] += some.sum()
                columns = [j for j, x in enumerate(found.names) if x in set(train.tolist())]
                best = found.probability[:, columns].argmax(axis=1)
                told_by = {"predict_taxon": np.array([found.names[columns[j]] for j in best.tolist()])}
                told_by |= {x: model.fit(A, train).predict(B) for x, model in CLASSIFIERS.items()}
                for x, y in told_by.items():
                    right.setdefault(x, np.zeros(depth))[k] += (y == test)[some].sum()
        for x, count in right.items():
            print(f"{name:10} {x:14}", *(f"{v:.3f}" for v in count / seen))


if __name__ == "__main__":
    main()
