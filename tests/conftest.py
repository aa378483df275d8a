"""What holds for all tests."""

import services

assert services.__doc__, "loaded before gRPC, which reads its settings once (see there)"
