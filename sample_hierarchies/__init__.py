"""The sample hierarchies; load one with tripletree.datasets.load_hierarchy(name)."""
