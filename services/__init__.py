"""What users run: the server, its clients, the command line and the bots, on top of the domain and the store."""

import os

# Programs are started while gRPC runs, Postgres above all. Its handlers for forking can hang the child between fork and
# exec, and nothing here ever forks to go on with gRPC. It is read when gRPC is loaded, so it has to come first.
os.environ.setdefault("GRPC_ENABLE_FORK_SUPPORT", "0")
