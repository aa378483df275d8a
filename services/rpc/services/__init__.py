"""The gRPC services, one module for each, and one for each of their long streams."""
