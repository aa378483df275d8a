"""Proof instead of trust: the log of ended rounds, its check, audits of challenges, and disputes about them."""
