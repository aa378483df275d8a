"""The HTTP service: past and running games for readers, as JSON, as streams of events and in bulk. It has no keys."""
