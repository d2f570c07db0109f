"""Data of several kinds with a true hierarchy, and the knowledge that is drawn from it: triplets or class labels.

Samples are rows 0..n-1, which are the leaves of the true hierarchy, too. Where data are drawn, the seed draws them, so
that means over seeds are means over data; iris, wine, breast cancer and the carnivores are the same for each seed.
Constants of a method may be chosen on the data of development; it is judged by those of reporting. Of these, Debian,
the carnivores and people B were in no earlier measurement; the others have been looked at in other benchmarks.

===========  ==========================================================  ============================================
kind         development                                                 reporting
===========  ==========================================================  ============================================
yule         phylogenies, traits of strong and of weak signal
coalescent                                                               the same
tables       iris, digits: class triplets                                wine, breast cancer
labels       iris, digits: class labels of a part of the samples         wine, breast cancer
uci          glass, ionosphere: class triplets                           seeds, ecoli
debian                                                                   packages; section, facet and tag
carnivora                                                                112 species, families; life-history traits
people A     a category tree and noise; mistakes where trios are hard
people B                                                                 two category trees, some judge by the other
===========  ==========================================================  ============================================
"""

import collections
import csv
import gzip
import os
import shutil
import subprocess
import zlib
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path

import numpy as np
from _data import _found, load, load_seeds, standardized
from sklearn import datasets

import tripletree as tt

DEVELOPMENT, REPORTING = "development", "reporting"
MOST = 600  # samples of a table
TEST = 20_000  # triplets that are not given, to score with
TRIPLETS_A_LABEL = 10  # random ones of those that labels imply, for methods that take no labels


class Absent(Exception):
    """The data are not on this machine; the message is the reason."""


@dataclass
class Data:
    """Samples, what is true of them, and how answers about them go wrong."""

    X: np.ndarray
    truth: tt.Hierarchy
    y: np.ndarray  # the flat classes
    classes_only: bool = False  # triplets are those of the classes, so they can be read as pairs
    wrong: object = None  # f(rows, rng) -> in which order the triplets go wrong, and what is answered instead

    @property
    def k(self):
        return len(np.unique(self.y))


@dataclass
class Knowledge:
    """What a method gets; None for what there is none of."""

    triplets: tt.TripletSet | None = None
    pairs: tt.PairwiseConstraints | None = None
    labels: np.ndarray | None = None  # the class of each sample, -1 where it is not known
    named: np.ndarray = field(default=None)  # whether something is known of the sample
    n_given: int = 0


def generator(*words):
    """A generator for each use, the same on each machine."""
    return np.random.default_rng([zlib.crc32(str(word).encode()) for word in words])


# ---------------------------------------------------------------------- knowledge


def draw_triplets(data, amount, share, seed, most=10):
    """The first amount * n of 10 n random true triplets, of which `share` are wrong: those prone to it go first."""
    n = len(data.X)
    rng = generator("triplets", seed)
    size = min(most * n, tt.count_triplets(data.truth) // 2)
    rows = rng.permutation(tt.sample_triplets(data.truth, size, random_state=rng).rows)
    order, instead = (data.wrong or swapped)(rows, rng)
    m = min(round(amount * n), size)
    rows, prone = rows[:m].copy(), np.argsort(order[:m], kind="stable")[: round(share * m)]
    rows[prone] = instead[:m][prone]
    triplets = tt.TripletSet(rows, range(n))
    pairs = None
    if data.classes_only:
        pairs = tt.PairwiseConstraints(rows[:, :2], np.r_[rows[:, [0, 2]], rows[:, [1, 2]]], n)
    named = np.zeros(n, bool)
    named[rows] = True
    return Knowledge(triplets, pairs, None, named, m)


def draw_labels(data, amount, share, seed):
    """The classes of amount * n random samples, of which `share` are wrong; all pairs and some triplets of these."""
    n, k = len(data.X), data.k
    rng = generator("labels", seed)
    order, prone, shift = rng.permutation(n), rng.permutation(n), rng.integers(1, k, n)
    m = min(round(amount * n), n)
    known = order[:m]
    y = data.y.copy()
    flipped = known[np.argsort(prone[:m])[: round(share * m)]]
    y[flipped] = (y[flipped] + shift[flipped]) % k
    size = np.bincount(y[known], minlength=k)
    implied = int((size * (size - 1) // 2 * (m - size)).sum())
    triplets = tt.sample_class_triplets(y, min(implied, TRIPLETS_A_LABEL * m), samples=known, random_state=rng)
    pairs = tt.pairs_from_classes(y, samples=known)
    named = np.zeros(n, bool)
    named[known] = True
    return Knowledge(triplets, pairs, np.where(named, y, -1), named, m)


def unseen_triplets(data, given, seed):
    """True triplets that were not given."""
    size = min(TEST, tt.count_triplets(data.truth) // 2)
    test = tt.sample_triplets(data.truth, size, random_state=generator("unseen", seed))
    if given is None:
        return test
    told = set(map(tuple, given.rows.tolist()))
    return tt.TripletSet([row for row in test.rows.tolist() if tuple(row) not in told], test.leaves)


def swapped(rows, rng):
    """Any triplet may go wrong: c changes places with a or b."""
    side, instead, at = rng.integers(0, 2, len(rows)), rows.copy(), np.arange(len(rows))
    instead[at, side], instead[:, 2] = rows[:, 2], rows[at, side]
    return rng.random(len(rows)), instead


# ---------------------------------------------------------------------- trees


def taxonomy(paths):
    """Hierarchy over 0..n-1 in which samples with the same first words are together."""
    nodes = sorted({path[:depth] for path in paths for depth in range(len(path) + 1)}, key=lambda x: (-len(x), x))
    number = {node: len(paths) + k for k, node in enumerate(nodes)}
    parent = [number[path] for path in paths] + [number[node[:-1]] if node else -1 for node in nodes]
    return tt.Hierarchy(parent, range(len(paths)))


def simulated(shape, n, features, noise, seed):
    """Traits that moved by Brownian motion along a random tree, and noise; classes: its eight oldest clades."""
    rng = generator(shape, n, features, noise, seed)
    alive, height, merges = list(range(n)), 0.0, []
    for step in range(n - 1):
        k = n - step
        height += rng.exponential(2 / (k * (k - 1)) if shape == "coalescent" else 1 / k)
        i, j = sorted(rng.choice(k, 2, replace=False), reverse=True)
        merges.append([alive.pop(i), alive.pop(j), height])
        alive.append(n + step)
    size = np.ones(2 * n - 1)
    for step, (a, b, _) in enumerate(merges):
        size[n + step] = size[a] + size[b]
    truth = tt.from_linkage(np.column_stack([np.array(merges), size[n:]]))
    traits = np.zeros((2 * n - 1, features))
    for u in range(2 * n - 3, -1, -1):
        above = truth.parent[u]
        traits[u] = traits[above] + rng.normal(0, np.sqrt(truth.height[above] - truth.height[u]), features)
    X = traits[:n] + rng.normal(0, noise * np.sqrt(height), (n, features))
    return Data(X, truth, tt.cut(truth, 8, rule="merge_order"))


def categories(n, rng):
    """Six categories with two to five parts each, of uneven sizes: the path of each sample."""
    parts = [(str(a), str(b)) for a in range(6) for b in range(rng.integers(2, 6))]
    share = rng.dirichlet(np.full(len(parts), 2.0))
    picks = np.r_[np.repeat(np.arange(len(parts)), 2), rng.choice(len(parts), n - 2 * len(parts), p=share)]
    return [parts[k] for k in rng.permutation(picks)]


def grown(paths, features, rng):
    """A centre for each category, one near it for each part, and the samples around."""
    centre = {prefix: rng.normal(0, 1.0, features) for prefix in sorted({p[:1] for p in paths})}
    for path in sorted(set(paths)):
        centre[path] = centre[path[:1]] + rng.normal(0, 0.8, features)
    return np.array([centre[path] for path in paths]) + rng.normal(0, 0.8, (len(paths), features))


def people(kind, n, seed):
    """Objects in categories, as a machine sees them, and people who say which of three is the odd one out.

    A: half of the features have nothing to do with the categories; people mistake trios whose distances in the tree,
    as they perceive them, are close. B: half of the features follow another tree, and who is wrong went by that one.
    """
    rng = generator("people", kind, n, seed)
    paths = categories(n, rng)
    codes = coded(paths)
    if kind == "A":
        X = np.hstack([grown(paths, 6, rng), rng.normal(0, 1.2, (n, 6))])

        def wrong(rows, rng):
            near, far = perceived(codes, rows)
            noise = rng.normal(0, 1, (len(rows), 3))
            with np.errstate(divide="ignore"):
                slip = (far - near)[:, None] / np.maximum(noise[:, :1] - noise[:, 1:], 0)  # noise at which ac, bc win
            instead = np.where((slip[:, 0] < slip[:, 1])[:, None], rows[:, [0, 2, 1]], rows[:, [1, 2, 0]])
            return slip.min(axis=1), instead
    else:
        other = categories(n, rng)
        X = np.hstack([grown(paths, 6, rng), grown(other, 6, rng)])
        second = coded(other)

        def wrong(rows, rng):
            deep = np.stack([common(second, rows[:, i], rows[:, j]) for i, j in ((0, 2), (1, 2), (0, 1))], axis=1)
            best = deep.argmax(axis=1)
            decided = (deep == deep.max(axis=1)[:, None]).sum(axis=1) == 1
            instead = np.where((best == 0)[:, None], rows[:, [0, 2, 1]], rows[:, [1, 2, 0]])
            return np.where(decided & (best < 2), rng.random(len(rows)), np.inf), instead

    y = np.unique([path[0] for path in paths], return_inverse=True)[1]
    return Data(X, taxonomy(paths), y, wrong=wrong)


def coded(paths):
    """The category and the part of each sample as numbers."""
    return np.column_stack([np.unique([" ".join(p[:d]) for p in paths], return_inverse=True)[1] for d in (1, 2)])


def common(codes, a, b):
    """How many levels two samples share."""
    return (codes[a] == codes[b]).sum(axis=1)


def perceived(codes, rows):
    """Distances in the tree of a, b and of a, c for true triplets ab|c."""
    return tuple(np.array([3.0, 2.0, 1.0])[common(codes, rows[:, 0], rows[:, x])] for x in (1, 2))


# ---------------------------------------------------------------------- tables


def classed(X, y, seed):
    """A table with classes, at most `MOST` samples of it."""
    rows = np.arange(len(y))
    if len(y) > MOST:
        rows = np.sort(generator("table", seed).permutation(len(y))[:MOST])
    y = np.unique(np.asarray(y)[rows], return_inverse=True)[1]
    X = standardized(np.asarray(X, float)[rows])
    return Data(X[:, X.std(axis=0) > 0], taxonomy([(str(c),) for c in y]), y, classes_only=True)


def table(name):
    return lambda n, seed: classed(*getattr(datasets, f"load_{name}")(return_X_y=True), seed)


def uci(name):
    def make(n, seed):
        files = ("seeds_dataset.txt",) if name == "seeds" else (f"{name}.arff.gz", f"arff/{name}.arff.gz")
        if _found(*files) is None:
            raise Absent(f"{files[0]} is in no folder of TRIPLETREE_DATA")
        return classed(*(load_seeds() if name == "seeds" else load(name)), seed)

    return make


# ---------------------------------------------------------------------- real taxonomies

TOPICS = (
    "admin database editors education electronics games graphics hamradio mail math net science sound tex text video "
    "web x11"
)
FACETS = "game field use works-with protocol admin network hardware security sound mail web science biology"


def read_packages():
    """(section, tags, text) of Debian's packages that have tags of topic, from apt's lists; kept for the next time."""
    folder = Path(os.environ.get("XDG_CACHE_HOME") or "~/.cache").expanduser() / "tripletree"
    path = folder / "debian-packages.csv.gz"
    if not path.exists():
        if shutil.which("apt-cache") is None:
            raise Absent("there is no apt-cache, and no " + str(path))
        done = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, check=True)
        rows = [row for row in map(package, done.stdout.decode("utf-8", "replace").split("\n\n")) if row]
        if len(rows) < 2000:
            raise Absent(f"apt-cache knows {len(rows)} packages with tags of topic; run apt-get update")
        folder.mkdir(parents=True, exist_ok=True)
        aside = path.with_suffix(f".{os.getpid()}")
        with gzip.open(aside, "wt", newline="", encoding="utf-8") as file:
            csv.writer(file).writerows(sorted(set(rows)))
        aside.replace(path)
    with gzip.open(path, "rt", newline="", encoding="utf-8") as file:
        return list(csv.reader(file))


def package(paragraph):
    """Section, tags of topic, and words: those of the name and the short description, and the packages needed."""
    fields, name = {}, None
    for line in paragraph.split("\n"):
        if line[:1] in (" ", "\t"):
            fields[name] = fields.get(name, "") + line
        elif ":" in line:
            name, _, value = line.partition(":")
            fields[name] = value
    tags = [tag.strip() for tag in fields.get("Tag", "").split(",")]
    tags = [tag for tag in tags if tag.partition("::")[0] in FACETS.split()]
    section = fields.get("Section", "").strip()
    if not tags or section not in TOPICS.split():
        return None
    needed = [x.split()[0] for x in fields.get("Depends", "").replace("|", ",").split(",") if x.strip()]
    words = fields["Package"].strip().replace("-", " ") + " " + fields.get("Description", "").strip()
    return section, " ".join(sorted(tags)), " ".join([words.lower(), *(f"needs_{x.partition(':')[0]}" for x in needed)])


@cache
def packages():
    """The path of each package, section, facet and its rarest tag that is not rare, and its LSA features."""
    from sklearn.decomposition import TruncatedSVD
    from sklearn.feature_extraction.text import TfidfVectorizer
    from sklearn.preprocessing import normalize

    rows = read_packages()
    often = collections.Counter(tag for _, tags, _ in rows for tag in tags.split())
    paths, texts = [], []
    for section, tags, text in rows:
        usual = [tag for tag in tags.split() if often[tag] >= 20]
        if usual:
            tag = min(usual, key=lambda x: (often[x], x))
            paths.append((section, tag.partition("::")[0], tag))
            texts.append(text)
    words = TfidfVectorizer(sublinear_tf=True, min_df=3, max_df=0.3, stop_words="english", token_pattern=r"[\w.+-]{2,}")
    return paths, normalize(TruncatedSVD(50, random_state=0).fit_transform(words.fit_transform(texts)))


def debian(n, seed):
    paths, X = packages()
    rows = np.sort(generator("debian", seed).permutation(len(paths))[: min(n * 3 // 2, MOST)])
    paths = [paths[k] for k in rows]
    y = np.unique([path[0] for path in paths], return_inverse=True)[1]
    return Data(X[rows], taxonomy(paths), y)


def number(text):
    """NaN for what is empty or no number."""
    try:
        return float(text)
    except ValueError:
        return np.nan


def carnivora(n, seed):
    """Species with their weights, brains, litters and times (logarithms; the median where unknown), by lineage."""
    path = _found("carnivora.csv", "../hierarchies/carnivora/carnivora.csv")
    if path is None:
        raise Absent("carnivora.csv is in no folder of TRIPLETREE_DATA")
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file, delimiter=";"))
    X = np.log1p([[number(row[name]) for name in list(rows[0])[5:]] for row in rows])
    X = np.where(np.isnan(X), np.nanmedian(X, axis=0), X)
    paths = [(row["SuperFamily"], row["Family"], row["Genus"]) for row in rows]
    y = np.unique([path[1] for path in paths], return_inverse=True)[1]
    return Data(standardized(X), taxonomy(paths), y)


# ---------------------------------------------------------------------- all of them


@dataclass
class Source:
    """Where data come from: `make(n, seed)`, with n for those that can be had in any size."""

    name: str
    kind: str
    role: str
    make: object
    form: str = "triplets"


def _sources():
    for shape, role, signals in (
        ("yule", DEVELOPMENT, {"strong": (32, 0.05), "weak": (4, 0.25)}),
        ("coalescent", REPORTING, {"strong": (8, 0.1), "weak": (3, 0.5)}),
    ):
        for signal, (features, noise) in signals.items():
            make = lambda n, seed, a=(shape, features, noise): simulated(a[0], n, a[1], a[2], seed)  # noqa: E731
            yield Source(f"{shape} {signal}", shape, role, make)
    tables = {"iris": DEVELOPMENT, "digits": DEVELOPMENT, "wine": REPORTING, "breast_cancer": REPORTING}
    for form, kind in (("triplets", "tables"), ("labels", "labels")):
        for name, role in tables.items():
            yield Source(name if form == "triplets" else f"{name} labels", kind, role, table(name), form)
    for name, role in {"glass": DEVELOPMENT, "ionosphere": DEVELOPMENT, "seeds": REPORTING, "ecoli": REPORTING}.items():
        yield Source(name, "uci", role, uci(name))
    yield Source("debian", "debian", REPORTING, debian)
    yield Source("carnivora", "carnivora", REPORTING, carnivora)
    for kind, role in (("A", DEVELOPMENT), ("B", REPORTING)):
        yield Source(f"people {kind}", f"people {kind}", role, lambda n, seed, kind=kind: people(kind, n, seed))


SOURCES = list(_sources())
KINDS = list(dict.fromkeys(source.kind for source in SOURCES))
