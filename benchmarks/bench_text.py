"""ReCon on 20,000 texts as sparse TF-IDF, beside dense LSA and beside fastcluster on the table of all distances.

The texts are one-line descriptions of Debian packages with their tags, their hierarchy is section, source package,
package. They come from the package lists of the machine (`apt-cache dumpavail`), so there is no download; where there
are none, the benchmark says so and ends.
"""

import re
import shutil
import subprocess

import fastcluster
import numpy as np
from _harness import Table, cpu_seconds
from scipy.spatial.distance import pdist
from sklearn.decomposition import TruncatedSVD
from sklearn.feature_extraction.text import TfidfVectorizer

import tripletree as tt
from tripletree.cluster import ReCon
from tripletree.cluster.distances import condensed_distances

N = 20_000
FIELD = re.compile(r"^([A-Z][A-Za-z-]+): (.*(?:\n .*)*)", re.MULTILINE)


def packages():
    """Name, section, source package and text of each package that apt knows, or why there are none."""
    if shutil.which("apt-cache") is None:
        return [], "there is no apt-cache on this machine"
    listing = subprocess.run(["apt-cache", "dumpavail"], capture_output=True, text=True, check=False).stdout
    found = {}
    for block in listing.split("\n\n"):
        fields = dict(FIELD.findall(block))
        if {"Package", "Section", "Description"} <= fields.keys():
            name = fields["Package"]
            source = fields.get("Source", name).split(" ")[0]
            text = f"{fields['Description']} {fields.get('Tag', '')}".replace("\n", " ")
            found[name] = (name, fields["Section"].rsplit("/", 1)[-1], source, text)
    if len(found) < 1_000:
        return [], f"apt-cache dumpavail lists {len(found)} packages: run apt-get update"
    return list(found.values()), ""


def texts(n):
    """TF-IDF of n packages, their names, sections and hierarchy."""
    rows, why = packages()
    if not rows:
        print(f"bench_text: skipped, {why}")
        raise SystemExit
    pick = np.sort(np.random.default_rng(0).permutation(len(rows))[: n + n // 100])
    rows = [rows[i] for i in pick]
    words = TfidfVectorizer(min_df=3, sublinear_tf=True, stop_words="english", token_pattern=r"[A-Za-z][\w+:-]+")
    X = words.fit_transform([row[3] for row in rows])
    kept = np.flatnonzero(np.diff(X.indptr) > 0)[:n]  # a text of rare words alone has no direction
    X, rows = X[kept], [rows[i] for i in kept]
    return X, np.array([row[1] for row in rows]), hierarchy_of(rows)


def hierarchy_of(rows):
    """All packages, sections, source packages, packages: leaves are numbered as the rows."""
    n = len(rows)
    sources = {key: n + i for i, key in enumerate(dict.fromkeys((row[1], row[2]) for row in rows))}
    sections = {key: n + len(sources) + i for i, key in enumerate(dict.fromkeys(row[1] for row in rows))}
    root = n + len(sources) + len(sections)
    parent = [sources[row[1], row[2]] for row in rows]
    parent += [sections[section] for section, _ in sources] + [root] * len(sections) + [-1]
    return tt.Hierarchy(np.array(parent)).restrict(range(n))


def main():
    columns = [
        ("method", 34),
        ("features", 8),
        ("triplets", 8),
        ("seconds", 8),
        ("ratio", 6),
        ("purity", 6),
        ("held out", 8),
    ]
    table = Table(
        "Texts: TF-IDF of 20,000 packages; purity by 58 sections, held-out triplets of the hierarchy", columns
    )
    X, sections, known = texts(N)
    n, d = X.shape
    rng = np.random.default_rng(1)
    held = tt.sample_triplets(known, 100_000, random_state=rng)
    given = tt.sample_triplets(known, 2 * n, random_state=rng)
    ReCon(2, metric="cosine").fit(X[:50])  # compile
    ReCon(2, metric="cosine").fit(X[:50].toarray())
    reference = None

    def row(name, features, m, work):
        nonlocal reference
        seconds, tree = cpu_seconds(work, repeat=1)
        reference = seconds if reference is None else reference
        quality = tt.dendrogram_purity(tree, sections), tt.triplet_score(tree, held)
        table.add(name, features, m, seconds, seconds / reference, *quality)

    def recon(data, linkage, triplets=None):
        model = ReCon(58, linkage=linkage, metric="cosine", cut="size")
        return lambda: model.fit(data, triplets=triplets).hierarchy_

    row("fastcluster average, table", d, 0, lambda: tt.from_linkage(fastcluster.linkage(cosines(X), "average")))
    for linkage in ("average", "ward", "centroid"):
        row(f"ReCon {linkage}", d, 0, recon(X, linkage))
        row(f"ReCon {linkage}", d, len(given), recon(X, linkage, given))
    seconds, dense = cpu_seconds(lambda: TruncatedSVD(100, random_state=0).fit_transform(X), repeat=1)
    dense /= np.linalg.norm(dense, axis=1, keepdims=True)
    row(
        "fastcluster average, LSA",
        100,
        0,
        lambda: tt.from_linkage(fastcluster.linkage(pdist(dense, "cosine"), "average")),
    )
    row("fastcluster ward, LSA", 100, 0, lambda: tt.from_linkage(fastcluster.linkage(dense, "ward")))
    for linkage in ("average", "ward"):
        row(f"ReCon {linkage}, LSA", 100, 0, recon(dense, linkage))
        row(f"ReCon {linkage}, LSA", 100, len(given), recon(dense, linkage, given))
    print(f"LSA itself, 100 of {d} features: {seconds:.3g} s")
    table.done()


def cosines(X):
    """The table of all cosine distances of sparse rows, in scipy's condensed order."""
    return condensed_distances(X, "cosine", {})


if __name__ == "__main__":
    main()
