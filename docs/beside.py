"""The same tree drawn by ete3, toytree, seaborn and tripletree, each in a few lines as its manual shows.

``python docs/beside.py`` writes docs/beside.png; a peer that is not installed is left out. The one in the repository
was made with ete3 3.1.3 (PyQt5), toytree 3.0.11 and seaborn 0.13.2.
"""

import os
import subprocess
import sys
import tempfile
from pathlib import Path

os.environ.setdefault("MPLBACKEND", "agg")
os.environ.setdefault("QT_QPA_PLATFORM", "offscreen")
sys.path.insert(0, str(Path(__file__).parent))

import numpy as np


def with_ete3(newick, table, path):
    """Draw with ete3: names, tiles for where they live, shaded clades."""
    from ete3 import NodeStyle, RectFace, Tree, TreeStyle

    tree = Tree(newick, format=1)
    colours = {"land": "#0072B2", "sea": "#D55E00", "fresh water": "#009E73"}
    for leaf in tree:
        face = RectFace(12, 12, None, colours[table["lives in"][leaf.name]])
        leaf.add_face(face, column=0, position="aligned")
    for name, colour in (("Felidae", "#f6e4ee"), ("Canidae", "#fbefd5"), ("Pinnipedia", "#e3f1fb")):
        style = NodeStyle()
        style["bgcolor"] = colour
        (tree & name).set_style(style)
    style = TreeStyle()
    style.show_leaf_name = True
    style.draw_guiding_lines = True
    tree.render(str(path), w=700, tree_style=style)


def with_toytree(newick, table, path):
    """Draw with toytree: aligned names, a scale bar, coloured tips."""
    import toyplot.svg
    import toytree

    tree = toytree.tree(newick)
    colours = {"land": "#0072B2", "sea": "#D55E00", "fresh water": "#009E73"}
    tips = [colours[table["lives in"][name]] for name in tree.get_tip_labels()]
    canvas, _, _ = tree.draw(width=560, height=420, tip_labels_colors=tips, scale_bar=True, node_sizes=6)
    toyplot.svg.render(canvas, str(path.with_suffix(".svg")))
    flags = ["--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars", "--window-size=700,480"]
    command = ["chromium", *flags, f"--screenshot={path}", path.with_suffix(".svg").as_uri()]
    subprocess.run(command, check=True, capture_output=True)


def with_seaborn(linkage, table, path):
    """Draw with seaborn: a cluster map of the one number there is, with row colours."""
    import seaborn

    colours = {"land": "#0072B2", "sea": "#D55E00", "fresh water": "#009E73"}
    grid = seaborn.clustermap(
        table[["log10 kg"]],
        row_linkage=linkage,
        col_cluster=False,
        row_colors=table["lives in"].map(colours),
        figsize=(5, 5.5),
    )
    grid.savefig(path, dpi=110)


def with_tripletree(tree, table, path):
    """Draw with tripletree."""
    import tripletree as tt
    from tripletree.plots import save_picture

    clades = ["Felidae", "Canidae", "Pinnipedia"]
    ax = tt.plot_dendrogram(tree, width="page", annotations=table, clades=clades, scale_bar=True)
    save_picture(ax, path, dpi=110)


def main():
    """Draw all, and put them into one picture."""
    from matplotlib import pyplot as plt
    from pictures import carnivores

    import tripletree as tt

    tree, table = carnivores()
    newick = tt.write_newick(tree)
    linkage = tt.to_linkage(tree)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        for draw, data in (
            (with_tripletree, tree),
            (with_ete3, newick),
            (with_toytree, newick),
            (with_seaborn, linkage),
        ):
            path = Path(folder, f"{draw.__name__}.png")
            try:
                draw(data, table, path)
            except ImportError as error:
                sys.stderr.write(f"left out: {error}\n")
                continue
            found.append((draw.__name__.removeprefix("with_"), plt.imread(path)[..., :3]))
        fig, axes = plt.subplots(2, 2, figsize=(14, 10.5), layout="constrained")
        for ax in axes.ravel():
            ax.set_axis_off()
        for ax, (name, image) in zip(axes.ravel(), found, strict=False):
            rows, columns = (np.flatnonzero((image < 0.99).any(axis=(k, 2))) for k in (1, 0))
            ax.imshow(image[rows[0] : rows[-1] + 1, columns[0] : columns[-1] + 1])
            ax.set_title(name, loc="left")
        fig.savefig(Path(__file__).parent / "beside.png", dpi=90)


if __name__ == "__main__":
    main()
