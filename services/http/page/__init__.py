"""The web page: its files, the answers made of them, and the layer that gives them out."""
