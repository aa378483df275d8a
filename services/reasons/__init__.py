"""Every reason for which the server refuses a request or fails. gRPC and HTTP each translate them."""
