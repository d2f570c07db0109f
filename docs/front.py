"""The picture at the top of the README and of the site: five animals, by measurements alone and with what is known.

``python docs/front.py`` writes docs/front.png again. Its letters are large enough for a phone.
"""

import os
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")

import tripletree as tt

HERE = Path(__file__).resolve().parent
INK, ORANGE = "#222222", "#B24300"
KNOWN = [("lion", "cat", "cow"), ("tiger", "cat", "hen")]


def animals():
    """Return the table of the first pages of the manual, the hierarchy of it alone, and the clusters with triplets."""
    import pandas as pd

    from tripletree.cluster import ReCon

    table = {"weight": [190, 170, 4, 5, 600], "legs": [4, 4, 4, 2, 4]}
    table = pd.DataFrame(table, index=["lion", "tiger", "cat", "hen", "cow"])
    alone = ReCon(n_clusters=3).fit(table)
    return table, alone.hierarchy_, ReCon(n_clusters=3).fit(table, triplets=KNOWN)


def draw_tree(ax, hierarchy, coloured, title, below, *, plain=False):
    """Draw a hierarchy; the leaves in `coloured` and, unless `plain`, the lines between them are orange."""
    start, stop, order = hierarchy.leaf_intervals
    place = {int(leaf): -k for k, leaf in enumerate(order)}
    along = dict(place)
    level = dict.fromkeys(place, 0.0)
    inside = {u: str(hierarchy.leaves[u]) in coloured for u in place}
    for u in range(hierarchy.n_leaves, hierarchy.n_nodes):
        kids = hierarchy.children(u).tolist()
        along[u] = (along[kids[0]] + along[kids[-1]]) / 2
        level[u] = 1.0 + max(level[v] for v in kids)
        inside[u] = not plain and all(inside[v] for v in kids)
        colour = ORANGE if inside[u] else INK
        ends = [along[v] for v in kids]
        ax.plot([-level[u]] * 2, [min(ends), max(ends)], color=colour, linewidth=4 if inside[u] else 2.5)
        for v in kids:
            ax.plot([-level[u], -level[v]], [along[v]] * 2, color=colour, linewidth=4 if inside[u] else 2.5)
    for leaf, y in place.items():
        bold = {"color": ORANGE, "fontweight": "bold"} if inside[leaf] else {"color": INK}
        ax.text(0.15, y, str(hierarchy.leaves[leaf]), va="center", fontsize=22, **bold)
    ax.set_axis_off()
    ax.set(xlim=(-4.2, 1.9), ylim=(-5.1, 0.6))
    ax.set_title(title, fontsize=20, color=INK, loc="left", fontweight="bold")
    ax.text(-4.1, -4.95, below, fontsize=17, color=INK, va="bottom")


def picture():
    """Return the figure."""
    from matplotlib import pyplot as plt

    table, alone, model = animals()
    cats = {name for name, k in zip(table.index, model.labels_, strict=True) if k == model.labels_[0]}
    fig, (left, right) = plt.subplots(1, 2, figsize=(9.6, 4.2), layout="constrained")
    draw_tree(left, alone, cats, "By weight and legs", "the cat goes with the hen", plain=True)
    draw_tree(right, model.hierarchy_, cats, "With what you know", "the cat is with the cats")
    return fig


if __name__ == "__main__":
    assert bool(tt.displays(animals()[2].hierarchy_, tt.TripletSet.from_labels(KNOWN)).all())
    picture().savefig(HERE / "front.png", dpi=100)
