"""Clusters of objects through time: windows of snapshots, each clustered from the one before."""
