"""The desk where readers hand in heavy reads: each waits for its turn, pays for it, and worker processes do it."""
