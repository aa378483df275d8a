"""Watching games while they are played. gRPC and HTTP share everything here."""
