"""From places (along, up) to x and y: a rectangle with the root at any side, or a circle with it in the middle."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

__all__ = ["Circle", "Frame", "Rectangle"]

#: Radius of the root, and of the part of the turn left open, as parts of the whole.
HOLE, OPEN = 0.06, 0.03
ARC = np.pi / 90  # longest chord of an arc


class Rectangle(NamedTuple):
    """The leaf axis upright (root left or right) or level (root at the top or the bottom)."""

    orientation: str

    @property
    def horizontal(self) -> bool:
        """Whether heights go along x."""
        return self.orientation in ("left", "right")

    def xy(self, along: Any, up: Any) -> tuple[Any, Any]:
        """Places as x and y."""
        return (up, along) if self.horizontal else (along, up)

    def paths(self, lines: np.ndarray) -> list[np.ndarray]:
        """The lines, each as its points."""
        return list(lines[:, :, ::-1] if self.horizontal else lines)


class Circle(NamedTuple):
    """Leaves around, clockwise from the top, heights towards the middle.

    top, bottom : greatest and least height
    span : units of the leaf axis
    """

    top: float
    bottom: float
    span: float

    @property
    def horizontal(self) -> bool:
        """Heights are along neither x nor y."""
        return False

    @property
    def reach(self) -> float:
        """Radius of the lowest leaves."""
        return (1 + HOLE) * ((self.top - self.bottom) or 1.0)

    def angle(self, along: Any) -> Any:
        """Direction of a place on the leaf axis."""
        share = (np.asarray(along, dtype=np.float64) + 0.5) / self.span
        return np.pi / 2 - 2 * np.pi * (OPEN / 2 + (1 - OPEN) * share)

    def radius(self, up: Any) -> Any:
        """Distance of a height from the middle."""
        return self.reach - (np.asarray(up, dtype=np.float64) - self.bottom)

    def xy(self, along: Any, up: Any) -> tuple[Any, Any]:
        """Places as x and y."""
        angle, radius = self.angle(along), self.radius(up)
        return radius * np.cos(angle), radius * np.sin(angle)

    def paths(self, lines: np.ndarray) -> list[np.ndarray]:
        """The lines, each as its points: what goes along the leaf axis is an arc."""
        turn = np.abs(np.diff(self.angle(lines[:, :, 0]), axis=1)[:, 0])
        found = []
        for line, steps in zip(lines, np.ceil(turn / ARC).astype(int).clip(1), strict=True):
            part = np.linspace(0.0, 1.0, steps + 1)[:, None]
            points = line[0] + part * (line[1] - line[0])
            found.append(np.stack(self.xy(points[:, 0], points[:, 1]), axis=1))
        return found


Frame = Rectangle | Circle
