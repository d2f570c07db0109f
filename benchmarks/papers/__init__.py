"""The experiments of the five papers behind the package, run again: ``python benchmarks/papers/run.py --help``."""
