"""The keys: those that seal what is hidden, and those that sign the log."""
