"""The gRPC services: one module for each service, and one for each of the two long streams."""
