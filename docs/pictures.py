"""Pictures of the concepts and questions, drawn when the site is built.

``python docs/pictures.py`` draws those in docs/pictures, which the pages show where they are read in the repository.
"""

import io
from pathlib import Path

import numpy as np

import tripletree as tt

INK, PALE, BLUE, ORANGE = "#333333", "#eef2f6", "#0072B2", "#D55E00"


def figure(width, height, columns=1, **options):
    """Return a new figure and its axes."""
    from matplotlib import pyplot as plt

    return plt.subplots(1, columns, figsize=(width, height), layout="constrained", **options)


def bare(ax, title=""):
    """Take the frame and the ticks away."""
    ax.set_axis_off()
    ax.set_title(title, fontsize=11, color=INK)


def box(ax, x, y, text, *, width=1.9, height=0.72, face=PALE, bold=False):
    """Draw a box with a text in it."""
    from matplotlib.patches import FancyBboxPatch

    corner = (x - width / 2, y - height / 2)
    style = "round,pad=0.02,rounding_size=0.12"
    ax.add_patch(FancyBboxPatch(corner, width, height, boxstyle=style, facecolor=face, edgecolor=INK, linewidth=1))
    ax.text(x, y, text, ha="center", va="center", fontsize=10, color=INK, fontweight="bold" if bold else "normal")


def arrow(ax, start, end, text="", *, at=0.5, shift=(0.0, 0.0), align="center"):
    """Draw an arrow, and code beside it."""
    style = {"arrowstyle": "-|>", "color": INK, "linewidth": 1.2, "shrinkA": 0, "shrinkB": 0}
    ax.annotate("", xy=end, xytext=start, arrowprops=style)
    x, y = (s + at * (e - s) + d for s, e, d in zip(start, end, shift, strict=True))
    ax.text(x, y, text, ha=align, va="center", fontsize=9, family="monospace", color=BLUE)


# ---------------------------------------------------------------------- concepts


def house():
    """Draw the two values, and the functions between them."""
    fig, ax = figure(8.2, 3.9)
    box(ax, 2.9, 3, "Hierarchy", face="white", bold=True)
    box(ax, 7.1, 3, "TripletSet", face="white", bold=True)
    arrow(ax, (3.9, 3.18), (6.1, 3.18), "decompose, induce", shift=(0, 0.2))
    arrow(ax, (6.1, 2.82), (3.9, 2.82), "one_tree", shift=(0, -0.2))
    box(ax, 0.7, 4.35, "taxonomies,\nphylogenies", height=0.85)
    arrow(ax, (1.3, 3.9), (2.2, 3.4), "read_hierarchy", shift=(0.12, 0.12), align="left")
    box(ax, 5.0, 4.6, "class labels", width=1.7)
    box(ax, 7.1, 4.6, "odd-one-out\nanswers", width=1.7, height=0.85)
    box(ax, 9.2, 4.6, "must-links,\ncannot-links", width=1.7, height=0.85)
    for x, end in ((5.6, 6.6), (7.1, 7.1), (8.6, 7.6)):
        arrow(ax, (x, 4.16), (end, 3.4))
    box(ax, 0.7, 1.2, "measurements")
    box(ax, 5.0, 1.2, "ReCon", face="white", bold=True)
    box(ax, 9.2, 1.2, "flat clusters")
    arrow(ax, (1.7, 1.2), (4.0, 1.2), "fit(X, triplets=)", shift=(0, 0.2))
    arrow(ax, (7.1, 2.6), (5.6, 1.6))
    arrow(ax, (4.4, 1.6), (2.9, 2.6), "hierarchy_", shift=(-0.2, -0.12), align="right")
    arrow(ax, (6.0, 1.2), (8.2, 1.2), "labels_", shift=(0, 0.2))
    ax.set(xlim=(-0.4, 10.3), ylim=(0.7, 5.1))
    bare(ax)
    return fig


def build():
    """Draw one step of BUILD: the graph of some triplets, and the hierarchy that comes of it."""
    rows = [("a", "b", "c"), ("b", "c", "d"), ("d", "e", "a"), ("e", "f", "b"), ("d", "e", "f")]
    triplets = tt.TripletSet.from_labels(rows)
    fig, (left, right) = figure(8.2, 3.2, 2, width_ratios=[1.4, 1])
    tt.plot_aho_graph(triplets, ax=left, title="an edge for each triplet: two parts")
    tt.plot_dendrogram(tt.one_tree(triplets), ax=right)
    bare(right, "the first split, and those that follow")
    return fig


def conflict():
    """Draw three triplets that cannot all hold."""
    triplets = tt.TripletSet.from_labels([("a", "b", "c"), ("b", "c", "d"), ("c", "d", "a")])
    fig, ax = figure(5.2, 3.4)
    tt.plot_conflict(tt.find_conflict(triplets), ax=ax)
    return fig


def recon():
    """Draw samples, a plain dendrogram of them, and one in which triplets hold."""
    import pandas as pd

    from tripletree.cluster import ReCon

    points = [[0.3, 0.5], [0.9, 1.1], [0.4, 1.6], [3.1, 1.4], [3.8, 0.6], [2.3, 1.2], [4.1, 1.5], [1.6, 0.7]]
    table = pd.DataFrame(points, index=list("abcdefgh"))
    known = tt.TripletSet.from_labels([("f", "h", "b"), ("f", "h", "d")])
    fig, axes = figure(9.0, 3.0, 3)
    axes[0].scatter(table[0], table[1], s=16, color=INK)
    for label, (x, y) in zip(table.index, points, strict=True):
        axes[0].annotate(label, (x, y), xytext=(5, 3), textcoords="offset points", fontsize=11)
    axes[0].margins(0.12, 0.2)
    axes[0].set(xticks=[], yticks=[])
    axes[0].set_title("eight samples", fontsize=11, color=INK)
    for ax, triplets, title in ((axes[1], None, "without triplets"), (axes[2], known, "with fh|b and fh|d")):
        model = ReCon(n_clusters=2, linkage="average").fit(table, triplets=triplets)
        tt.plot_dendrogram(model.hierarchy_, ax=ax, orientation="top")
        bare(ax, title)
    return fig


def pairs():
    """Draw must-links and cannot-links as given, and all that follows from them."""
    given = tt.PairwiseConstraints.from_labels([("a", "b"), ("b", "c"), ("d", "e")], [("c", "d"), ("e", "f")])
    place = dict(zip("abcdef", [(0, 0), (0.5, 0.9), (1.1, 0.2), (2.3, 0.2), (2.9, 0.9), (3.9, 0.2)], strict=True))
    fig, axes = figure(8.2, 2.4, 2)
    for ax, known, title in ((axes[0], given, "what was given"), (axes[1], given.expand(), "what follows")):
        for a, b, kind in known:
            (x, u), (y, v) = place[a], place[b]
            style = {"color": BLUE, "linewidth": 2.2} if kind == "must" else {"color": ORANGE, "linestyle": (0, (4, 3))}
            ax.plot([x, y], [u, v], **style)
        for label, (x, y) in place.items():
            ax.plot(x, y, "o", color="white", markeredgecolor=INK, markersize=17)
            ax.text(x, y, label, ha="center", va="center", fontsize=11)
        ax.margins(0.12, 0.35)
        counts = f"{len(known.must_link)} must-links, {len(known.cannot_link)} cannot-links"
        bare(ax, f"{title}: {counts}")
    return fig


# ---------------------------------------------------------------------- questions


def start():
    """Draw the five animals of the first page, with triplets and without."""
    import pandas as pd

    from tripletree.cluster import DivisiveReCon

    table = {"weight": [190, 170, 4, 5, 600], "legs": [4, 4, 4, 2, 4]}
    table = pd.DataFrame(table, index=["lion", "tiger", "cat", "hen", "cow"])
    known = [("lion", "cat", "cow"), ("tiger", "cat", "hen")]
    fig, axes = figure(8.2, 2.6, 2)
    for ax, triplets, title in zip(axes, (None, known), ("by weight and legs", "and with two triplets"), strict=True):
        model = DivisiveReCon(n_clusters=3, constraints="hard").fit(table, triplets=triplets)
        tt.plot_dendrogram(model, ax=ax)
        bare(ax, title)
    return fig


def transitions():
    """Draw four snapshots of thirty objects that drift."""
    from tripletree.cluster import TemporalClustering

    rng = np.random.default_rng(3)
    side = np.repeat([0, 1, 2], 10)
    X, times, objects = [], [], []
    for time in range(2021, 2025):
        moves = rng.random(30) < 0.12
        side = np.where(moves, rng.integers(0, 3, 30), side)
        X.append(4.0 * side[:, None] + rng.normal(size=(30, 2)))
        times += [time] * 30
        objects += list(range(30))
    model = TemporalClustering(3, random_state=0).fit(np.concatenate(X), times=times, objects=objects)
    fig, ax = figure(7.2, 3.2)
    tt.plot_transitions(model, ax=ax)
    return fig


# ---------------------------------------------------------------------- ways to look


def irises():
    """Return 36 irises, a dozen of each species, the triplets of every third one, and the fitted ReCon."""
    from sklearn.datasets import load_iris
    from sklearn.preprocessing import StandardScaler

    from tripletree.cluster import ReCon

    X, y = load_iris(return_X_y=True)
    X, y = StandardScaler().fit_transform(X)[::4][:36], y[::4][:36]
    known = tt.triplets_from_classes(y, samples=range(0, 36, 3))
    return X, y, known, ReCon(n_clusters=3, linkage="average").fit(X, triplets=known)


def look_dendrogram():
    """Draw a dendrogram with clusters, classes and triplets."""
    _, y, known, model = irises()
    fig, ax = figure(8.2, 4.6)
    tt.plot_dendrogram(model, ax=ax, orientation="top", classes=y, triplets=known)
    return fig


def look_circular():
    """Draw a phylogeny of 120 mammals as a circle."""
    return tt.plot_dendrogram(tt.datasets.load_hierarchy("mammals"), layout="circular").figure


def look_cuts():
    """Draw one hierarchy, cut into two, three and four clusters."""
    from tripletree.plots import plot_cuts

    _, _, known, model = irises()
    fig, axes = figure(8.6, 2.8, 3)
    plot_cuts(model.hierarchy_, [2, 3, 4], axes=axes, triplets=known)
    return fig


def look_tanglegram():
    """Draw two clusterings of the same samples face to face."""
    from tripletree.cluster import ReCon
    from tripletree.plots import plot_tanglegram

    X, y, _, model = irises()
    plain = ReCon(n_clusters=3, linkage="average").fit(X)
    fig, ax = figure(8.2, 5.2)
    plot_tanglegram(plain.hierarchy_, model.hierarchy_, ax=ax, names=("without triplets", "with"), classes=y)
    return fig


def look_heatmap():
    """Draw the distances of samples in the order of their hierarchy."""
    from scipy.spatial.distance import cdist

    from tripletree.plots import plot_heatmap

    X, _, _, model = irises()
    fig, ax = figure(7.2, 5.2)
    plot_heatmap(model, cdist(X, X), ax=ax, label="distance")
    return fig


def wines():
    """Return 36 wines, a dozen of each kind, with the names of their measurements, their kinds, and a fitted ReCon."""
    import pandas as pd
    from sklearn.datasets import load_wine
    from sklearn.preprocessing import StandardScaler

    from tripletree.cluster import ReCon

    wine = load_wine(as_frame=True)
    some = np.sort(np.concatenate([np.flatnonzero(wine.target == k)[:12] for k in range(3)]))
    table = wine.data.iloc[some].set_axis([f"wine {k}" for k in some], axis=0)
    table = table.rename(columns={"od280/od315_of_diluted_wines": "od280/od315"})
    scaled = pd.DataFrame(StandardScaler().fit_transform(table), table.index, table.columns)
    kinds = wine.target_names[wine.target.iloc[some]]
    return table, kinds, ReCon(n_clusters=3, linkage="ward").fit(scaled)


def look_table():
    """Draw a table as z-scores, its columns clustered, with strips beside it."""
    from tripletree.plots import plot_heatmap

    table, kinds, model = wines()
    return plot_heatmap(
        model, table, width="page", annotations={"kind": kinds}, z_score="columns", cluster_columns=True
    ).figure


def carnivores():
    """Return a phylogeny of carnivores and pangolins, and a table of where they live and what they weigh, about."""
    import pandas as pd

    tree = tt.datasets.load_hierarchy("mammals").subtree("Ferae")
    sea = {"Phoca_vitulina", "Odobenus_rosmarus", "Zalophus_californianus"}
    grams = [6, 2, 4, 160, 130, 60, 0.7, 40, 6, 100, 250, 85, 1200, 250, 5, 6, 0.2, 9]  # kilograms, rounded
    home = ["sea" if x in sea else "fresh water" if x == "Lutra_lutra" else "land" for x in tree.leaves]
    return tree, pd.DataFrame({"lives in": home, "log10 kg": np.log10(grams)}, index=list(tree.leaves))


def look_paper():
    """Draw a phylogeny for a page of a journal: tiles, clades, names of nodes, a scale bar."""
    tree, table = carnivores()
    clades = ["Felidae", "Canidae", "Pinnipedia", "Mustelidae", "Caniformia"]
    return tt.plot_dendrogram(
        tree, width="page", annotations=table, clades=clades, node_labels="sizes", scale_bar=True
    ).figure


def look_arcs():
    """Draw must-links and cannot-links as arcs."""
    from tripletree.cluster import ReCon

    X, y, _, _ = irises()
    pairs = tt.sample_class_pairs(y, 8, random_state=1)
    model = ReCon(n_clusters=3, linkage="average").fit(X, pairs=pairs)
    return tt.plot_dendrogram(
        model, width="page", orientation="top", classes=y, pairs=pairs, arcs=True, heights="level"
    ).figure


LOOKS = (
    *(look_dendrogram, look_circular, look_paper, look_arcs, look_cuts, look_tanglegram, look_heatmap, look_table),
)
PICTURES = (house, build, conflict, recon, pairs, start, transitions, *LOOKS)


def write_page(folder):
    """Write a hierarchy that can be folded, zoomed and searched."""
    from tripletree.plots.page import write_html

    folder.mkdir()
    mammals = tt.datasets.load_hierarchy("mammals")
    write_html(mammals, folder / "mammals.html", triplets=tt.decompose(mammals), title="120 mammals")


def draw_all(folder):
    """Draw every picture into a folder, as SVG."""
    import matplotlib
    from matplotlib import pyplot as plt

    folder.mkdir(exist_ok=True)
    with matplotlib.rc_context({"svg.hashsalt": "tripletree", "font.size": 10, "svg.fonttype": "path"}):
        for draw in PICTURES:
            fig = draw()
            text = io.StringIO()
            fig.savefig(text, format="svg", metadata={"Date": None})
            (folder / f"{draw.__name__}.svg").write_text(text.getvalue(), encoding="utf-8")
            plt.close(fig)


if __name__ == "__main__":
    draw_all(Path(__file__).parent / "pictures")
