"""The address of a page, kept beside its answers: after a restart, links and pages left open work again.

The file holds a line for the people, with the port and the secret token of the page, and one for the leader if there is
a page for the leader.
"""

from __future__ import annotations

import os
import re
from typing import NamedTuple

from tripletree.errors import ParseError
from tripletree.io.source import write_atomic

_LINE = re.compile(r"(?:people|leader) https?://\S*:(\d{1,5})/([\w-]{16,})/")


class KeptAddress(NamedTuple):
    """The port and the token of a page, and the token of the page of the leader."""

    port: int
    token: str
    leader: str | None = None


def path_of_address(answers: str | os.PathLike[str]) -> str:
    """Return the file that keeps the address of the page which writes a file of answers."""
    return f"{os.path.splitext(os.fspath(answers))[0]}-address.txt"


def read_address(answers: str | os.PathLike[str]) -> KeptAddress | None:
    """Return the address that was kept beside a file of answers, or None.

    Raises
    ------
    ParseError
        If the file holds something else.
    """
    path = path_of_address(answers)
    try:
        with open(path, encoding="utf-8") as stream:
            found, leader = (_LINE.fullmatch(stream.readline(1000).strip()) for _ in range(2))
    except FileNotFoundError:
        return None
    except UnicodeDecodeError:
        found = None
    if found is None or not 0 < int(found[1]) < 65536:
        msg = (
            "expected the kept address of a page, 'people http://127.0.0.1:43843/TOKEN/'; delete the file or give "
            "--new-address (new_address=True) for another address"
        )
        raise ParseError(msg, path=path, line=1)
    return KeptAddress(int(found[1]), found[2], leader and leader[2])


def keep_address(answers: str | os.PathLike[str], address: str, leader: str | None = None) -> None:
    """Keep the addresses of a page and of its leader beside the answers, for nobody but this user to read."""
    with write_atomic(path_of_address(answers), private=True) as stream:
        stream.write(f"people {address}\n" + (f"leader {leader}\n" if leader else ""))
