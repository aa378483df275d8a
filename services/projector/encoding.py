"""The encoder for structs in read models."""

import msgspec

encode = msgspec.json.Encoder().encode
