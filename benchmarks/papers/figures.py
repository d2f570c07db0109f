"""Small multiples: a panel for each data set, a line for each method, told apart by colour, marker and dashes."""

STYLES = (
    ("#0072B2", "o", "-"),
    ("#D55E00", "s", "--"),
    ("#009E73", "^", "-."),
    ("#000000", "", ":"),
    ("#999999", "", (0, (5, 1))),
    ("#CC79A7", "D", (0, (3, 1, 1, 1))),
    ("#E69F00", "v", "-"),
    ("#56B4E9", "x", "--"),
    ("#882255", "P", "-."),
)


def curves(path, panels, xlabel, ylabel):
    """Write a PNG of panels (title, {method: (x, y)}); methods keep their style from panel to panel."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    panels = [(title, lines) for title, lines in panels if any(len(x) for x, _ in lines.values())]
    if not panels:
        return
    columns = min(3, len(panels))
    rows = -(-len(panels) // columns)
    figure = Figure(figsize=(4.2 * columns, 3.2 * rows + 0.8), layout="constrained")
    FigureCanvasAgg(figure)
    axes = figure.subplots(rows, columns, squeeze=False).ravel()
    style = {}
    for ax, (title, lines) in zip(axes, panels, strict=False):
        for method, (x, y) in lines.items():
            colour, marker, dashes = style.setdefault(method, STYLES[len(style) % len(STYLES)])
            ax.plot(x, y, color=colour, marker=marker or None, linestyle=dashes, markersize=4, linewidth=1.4)
        ax.set_title(title, fontsize=10)
        ax.grid(alpha=0.3)
    for ax in axes[len(panels) :]:
        ax.set_axis_off()
    figure.supxlabel(xlabel, fontsize=10)
    figure.supylabel(ylabel, fontsize=10)
    handles = [
        axes[0].plot([], [], color=c, marker=m or None, linestyle=d, markersize=4, linewidth=1.4)[0]
        for c, m, d in style.values()
    ]
    figure.legend(handles, list(style), loc="outside upper center", ncols=min(4, len(style)), fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=110, metadata={"Software": None})


def scatters(path, rows):
    """Write a PNG of rows (name, panels), a panel (title, points, labels, pairs or None): cannot-links are dotted."""
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.collections import LineCollection
    from matplotlib.figure import Figure

    if not rows:
        return
    columns = max(len(panels) for _, panels in rows)
    figure = Figure(figsize=(2.5 * columns, 2.4 * len(rows)), layout="constrained")
    FigureCanvasAgg(figure)
    for line, (name, panels) in zip(figure.subplots(len(rows), columns, squeeze=False), rows, strict=True):
        for ax, (title, points, labels, pairs) in zip(line, panels, strict=False):
            for number in sorted(set(labels.tolist())):
                colour, marker, _ = STYLES[number % len(STYLES)]
                ax.scatter(*points[labels == number].T, s=7, color=colour, marker=marker or ".", linewidths=0.5)
            for ends, dashes in () if pairs is None else ((pairs.must_link, "-"), (pairs.cannot_link, ":")):
                ax.add_collection(LineCollection(points[ends], colors="#444444", linestyles=dashes, linewidths=0.7))
            ax.set_title(title, fontsize=8)
            ax.set_xticks([])
            ax.set_yticks([])
        line[0].set_ylabel(name, fontsize=9)
    path.parent.mkdir(parents=True, exist_ok=True)
    figure.savefig(path, dpi=90, metadata={"Software": None})
