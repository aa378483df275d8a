"""The archive: past and present games as people read them, each as far as the reader may see it."""
