"""The command ``warmup``, which compiles ahead."""

from __future__ import annotations

import sys

import click

from tripletree.core.checks import counted
from tripletree.warmup import JOBS, warm_up


@click.command(
    epilog="""
    \b
    Example:
      tripletree warmup hierarchies
    """
)
@click.argument("kinds", nargs=-1, metavar="[KIND]...", type=click.Choice(sorted(JOBS)))
@click.option("--n-jobs", type=int, default=-1, show_default=True, help="Processes; -1 for one a core.")
def warmup(kinds: tuple[str, ...], n_jobs: int) -> None:
    """Compile the kernels once on this machine, so that nothing later waits for the compiler.

    Without KIND all are compiled, which takes some minutes of one core. KIND: the task that needs them, such as recon,
    divisive, kmeans or supertree. A wrong one lists all.

    Compiled kernels are kept in your folder for caches (on Linux ~/.cache/tripletree), or in NUMBA_CACHE_DIR if that is
    set.
    """
    n_compiled = warm_up(kinds or None, n_jobs=n_jobs, verbose=sys.stderr.isatty())
    click.echo(f"compiled {counted(n_compiled, 'kernel')}" if n_compiled else "nothing to compile: all was done before")
