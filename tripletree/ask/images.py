"""Pictures of samples from one folder. No file outside of the folder is ever opened, whatever labels or links say."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator, Sequence
from pathlib import Path

from tripletree.errors import LimitExceededError, ParseError

#: The largest picture that is sent, in bytes, and the most files that a folder may have.
MAX_BYTES = 20 * 2**20
MAX_FILES = 1_000_000
SUFFIXES = (".avif", ".bmp", ".gif", ".jpeg", ".jpg", ".png", ".webp")


class ImageFolder:
    """The picture of each sample, found by its name in a listing of the folder.

    A name never becomes a path. It is looked up among the files of the folder, with or without their subfolder and
    suffix.

    Parameters
    ----------
    folder : path
    names : sequence of labels
        Names of the samples, in order.

    Raises
    ------
    LimitExceededError
        If the folder has more than a million files.
    """

    def __init__(self, folder: str | os.PathLike[str], names: Sequence[object]) -> None:
        self.root = Path(folder).resolve()
        if not self.root.is_dir():
            raise NotADirectoryError(20, "not a folder", os.fspath(folder))
        listed = list(_listed(self.root))
        found = _by_name(listed, self.root)
        self.paths: list[Path | None] = [found.get(str(name)) for name in names]
        self.paths = [path if path is not None and _is_picture(path) else None for path in self.paths]
        self.missing = [name for name, path in zip(names, self.paths, strict=True) if path is None]
        if len(self.missing) == len(names):
            files = ", ".join(repr(path.name) for path in listed[:3]) or f"no file ending in {', '.join(SUFFIXES)}"
            msg = (
                f"no sample has a picture in {folder}: a file needs the name of its sample, with or without a suffix. "
                f"The folder has {files}; samples are called {', '.join(map(repr, map(str, names[:3])))}"
            )
            raise FileNotFoundError(msg)

    def read(self, row: int) -> tuple[bytes, str]:
        """Return the content of a sample's picture and its media type.

        Raises
        ------
        LimitExceededError
            If the picture is larger than 20 MB.
        """
        path = self.paths[row]
        real = None if path is None else _file_inside(path, self.root)
        if real is None:
            raise FileNotFoundError(2, "no picture", str(row))
        # O_NOFOLLOW: a link may have replaced the file. O_NONBLOCK: a pipe would make us wait.
        flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
        with os.fdopen(os.open(real, flags), "rb") as stream:
            if not stat.S_ISREG(os.fstat(stream.fileno()).st_mode):
                raise FileNotFoundError(2, "not a file", real.name)
            content = stream.read(MAX_BYTES + 1)
        if len(content) > MAX_BYTES:
            msg = f"the picture {real.name!r} has more than {MAX_BYTES // 2**20} MB; make it smaller"
            raise LimitExceededError(msg, size=real.stat().st_size, limit=MAX_BYTES)
        kind = _media_type(content)
        if kind is None:
            msg = "not a picture that browsers show (PNG, JPEG, GIF, WebP, AVIF, BMP)"
            raise ParseError(msg, path=real.name)
        return content, kind


def names_of_pictures(folder: str | os.PathLike[str]) -> list[str]:
    """Return a name for each picture of a folder, without suffix, and without subfolder if the short name is unique.

    Raises
    ------
    LimitExceededError
        If the folder has more than a million files.
    """
    root = Path(folder).resolve()
    if not root.is_dir():
        raise NotADirectoryError(20, "not a folder", os.fspath(folder))
    listed = list(_listed(root))
    pictures = [path for path in listed if _is_picture(path)]
    if not pictures:
        msg = f"there is no picture in {os.fspath(folder)}: expected files ending in {', '.join(SUFFIXES)}"
        raise FileNotFoundError(msg)
    names: dict[Path, str] = {}
    for name, path in _by_name(listed, root).items():
        if path not in names or len(name) < len(names[path]):
            names[path] = name
    return [names[path] for path in pictures]


def _listed(root: Path) -> Iterator[Path]:
    """Pictures in a folder and its subfolders, in order. Links count only if they lead to files of the folder."""
    count = 0
    for folder, subfolders, files in os.walk(root):
        subfolders.sort()
        for name in sorted(files):
            count += 1
            if count > MAX_FILES:
                msg = f"{root} has more than {MAX_FILES:,} files; give a folder with the pictures only"
                raise LimitExceededError(msg, size=count, limit=MAX_FILES)
            path = Path(folder, name)
            if name.lower().endswith(SUFFIXES) and _file_inside(path, root) is not None:
                yield path


def _file_inside(path: Path, root: Path) -> Path | None:
    """Follow the links of a path. None if it does not end at a file of the folder."""
    try:
        real = path.resolve(strict=True)
    except (OSError, RuntimeError):  # gone, or links in a circle
        return None
    return real if real.is_relative_to(root) and real.is_file() else None


def _is_picture(path: Path) -> bool:
    """Tell whether the content of a file is a picture that can be sent."""
    try:
        with path.open("rb") as stream:
            return _media_type(stream.read(16)) is not None and path.stat().st_size <= MAX_BYTES
    except OSError:
        return False


def _by_name(paths: Sequence[Path], root: Path) -> dict[str, Path]:
    """Return all names of each picture: its path in the folder or its file name, with or without suffix.

    A short name that two pictures share stands for neither. A path in the folder takes precedence over short names.
    """
    found: dict[str, Path] = {}
    for key in (
        lambda path: path.name,
        lambda path: path.stem,
        lambda path: path.relative_to(root).with_suffix("").as_posix(),
        lambda path: path.relative_to(root).as_posix(),
    ):
        named: dict[str, list[Path]] = {}
        for path in paths:
            named.setdefault(key(path), []).append(path)
        found.update({name: same[0] for name, same in named.items() if len(same) == 1})
    return found


def _media_type(content: bytes) -> str | None:
    """Return the media type of a picture by its first bytes, whatever its suffix is."""
    if content.startswith(b"\x89PNG\r\n\x1a\n"):
        return "image/png"
    if content.startswith(b"\xff\xd8\xff"):
        return "image/jpeg"
    if content.startswith((b"GIF87a", b"GIF89a")):
        return "image/gif"
    if content[:4] == b"RIFF" and content[8:12] == b"WEBP":
        return "image/webp"
    if content[4:12] in (b"ftypavif", b"ftypavis"):
        return "image/avif"
    return "image/bmp" if content.startswith(b"BM") else None
