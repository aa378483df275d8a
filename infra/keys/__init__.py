"""The keys that seal the secrets, and the keys that sign the log."""
