"""The gRPC services that game clients play over."""
