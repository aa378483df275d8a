"""The door for browsers, engines and agents: every method over the Connect protocol and over gRPC-Web."""
