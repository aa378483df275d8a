"""The gRPC adapter: the server, its services, and the translation between messages and values."""
