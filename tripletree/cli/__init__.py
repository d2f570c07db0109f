"""The command line: ``tripletree info``, ``check``, ``cluster`` and the others listed at the end of this file.

Every command reads files, the standard input (``-``) or a sample (``sample:mammals``), and writes to the standard
output or to the file of ``-o``. Exit status: 0 when all is well, 1 when triplets are inconsistent, 2 for bad input,
124 when ``--time-limit`` was reached, 130 when interrupted.
"""

from __future__ import annotations

import click

from tripletree._version import __version__
from tripletree.cli.answers import answers
from tripletree.cli.asking import ask
from tripletree.cli.clustering import cluster
from tripletree.cli.conflicts import explain, repair
from tripletree.cli.conversion import build, convert, decompose, induce
from tripletree.cli.demo import demo
from tripletree.cli.drawing import plot
from tripletree.cli.inspection import check, info
from tripletree.cli.matching import match
from tripletree.cli.reasoning import closure, compare, describe
from tripletree.cli.reporting import report
from tripletree.cli.shell import Commands
from tripletree.cli.supertrees import supertree

EPILOG = """
\b
Examples:
  tripletree info sample:mammals
  tripletree decompose sample:mammals | tripletree build - -o mammals.nwk
"""


@click.group("tripletree", cls=Commands, context_settings={"help_option_names": ["-h", "--help"]}, epilog=EPILOG)
@click.version_option(__version__, "-V", "--version", prog_name="tripletree", message="%(prog)s %(version)s")
def main() -> None:
    """Rooted triplets: read them off hierarchies, build hierarchies from them, cluster so that they hold.

    A triplet, written "a b | c", states that a and b are closer to each other than either is to c.
    """


for _command in (
    *(info, convert, match, induce, decompose),
    *(check, explain, repair, describe, closure, build),
    *(compare, supertree, answers),
    *(cluster, report, ask, plot, demo),
):
    main.add_command(_command)
