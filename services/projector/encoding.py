"""How structs are written into read models."""

import msgspec

encode = msgspec.json.Encoder().encode
