"""The audit log: its Merkle tree, its signed checkpoints, and witnesses that countersign them."""
