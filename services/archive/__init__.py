"""The archive: past and present games for readers, each as far as the reader may see it."""
