"""Fixtures and settings for all tests."""

from hypothesis import settings

import services

assert services.__doc__, "loaded before gRPC, which reads its settings once (see there)"

# How long an example takes depends on what else the machine does, and says nothing about the program.
settings.register_profile("any machine", deadline=None)
settings.load_profile("any machine")
