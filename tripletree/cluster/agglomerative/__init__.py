"""Agglomerative clustering under constraints: ReCon, constrained complete link, and what they share."""
