"""The wire contract: what the server and its clients share."""
