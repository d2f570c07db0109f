"""Colours as red- and green-blind readers see them."""

import re
from importlib.resources import files

import numpy as np
import pytest
from matplotlib.colors import to_rgb

from tripletree.plots.style import DASHES, PALETTE, SHAPES, tile_style

#: Machado, Oliveira, Fernandes (2009), A physiologically-based model for simulation of color vision deficiency, for
#: readers without the cones for red and for green, in linear light.
BLIND = {
    "red": [[0.152286, 1.052583, -0.204868], [0.114503, 0.786281, 0.099216], [-0.003882, -0.048116, 1.051998]],
    "green": [[0.367322, 0.860646, -0.227968], [0.280085, 0.672501, 0.047413], [-0.011820, 0.042940, 0.968881]],
    "none": np.eye(3),
}
XYZ = np.array(
    [[0.4124564, 0.3575761, 0.1804375], [0.2126729, 0.7151522, 0.0721750], [0.0193339, 0.1191920, 0.9503041]]
)
NEAR = 15.0  # CIELAB


def lab(colour, blind):
    """A colour as such a reader sees it, in CIELAB."""
    rgb = np.array(to_rgb(colour))
    light = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    x = XYZ @ np.clip(np.array(BLIND[blind]) @ light, 0, 1) / [0.95047, 1, 1.08883]
    f = np.where(x > 0.008856, np.cbrt(x), 7.787 * x + 16 / 116)
    return np.array([116 * f[1] - 16, 500 * (f[0] - f[1]), 200 * (f[1] - f[2])])


def palettes():
    css = files("tripletree.plots.page").joinpath("page.css").read_text("utf-8")
    light, dark, *same = (x.split() for x in re.findall(r"--palette: ([^;]+);", css))
    assert same == [dark]
    css = files("tripletree.ask").joinpath("page/ask.css").read_text("utf-8")
    found = re.findall(r"--c\d: (#\w+);", css)
    return {"pictures": PALETTE, "page": light, "page, dark": dark, "ask": found[:7], "ask, dark": found[7:14]}


@pytest.mark.parametrize("blind", BLIND)
@pytest.mark.parametrize("name", ["pictures", "page", "page, dark", "ask", "ask, dark"])
def test_palette__what_looks_alike_differs_otherwise(name, blind):
    colours = [lab(x, blind) for x in palettes()[name]]
    for j in range(len(colours)):
        for i in range(j):
            if np.linalg.norm(colours[i] - colours[j]) >= NEAR:
                continue
            assert j >= 7, (i, j)  # the first seven are apart by colour alone
            assert i % len(DASHES) != j % len(DASHES), (i, j)
            assert i % len(SHAPES) != j % len(SHAPES), (i, j)
            assert tile_style(i, "white")["hatch"] != tile_style(j, "white")["hatch"], (i, j)
