"""Pictures with matplotlib: dendrograms, trees side by side, cuts, heat maps, time, pairs, the graph of triplets."""

from tripletree.plots.cuts import plot_cuts
from tripletree.plots.dendrogram import plot_dendrogram
from tripletree.plots.graph import aho_graph, plot_aho_graph, plot_conflict
from tripletree.plots.heatmap import plot_heatmap
from tripletree.plots.itol import write_itol
from tripletree.plots.methods import plot_methods
from tripletree.plots.page import PageView, hierarchy_widget, show_html, to_html, write_html
from tripletree.plots.pairs import plot_pairs
from tripletree.plots.style import save_picture
from tripletree.plots.tanglegram import plot_tanglegram
from tripletree.plots.transitions import plot_transitions

__all__ = [
    "PageView",
    "aho_graph",
    "hierarchy_widget",
    "plot_aho_graph",
    "plot_conflict",
    "plot_cuts",
    "plot_dendrogram",
    "plot_heatmap",
    "plot_methods",
    "plot_pairs",
    "plot_tanglegram",
    "plot_transitions",
    "save_picture",
    "show_html",
    "to_html",
    "write_html",
    "write_itol",
]
