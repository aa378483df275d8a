"""Events as they are stored: their bytes, versions, seals, digests and signatures."""
