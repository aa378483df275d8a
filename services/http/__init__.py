"""The HTTP adapter: readers get past and running games as JSON, as event streams and in bulk. It has no keys."""
