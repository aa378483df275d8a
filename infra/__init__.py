"""Adapters between the game and the world: the bytes of events, keys, the audit log and Postgres."""
