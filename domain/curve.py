"""Points of Ed25519's curve: whether 32 bytes are a public key that can be used.

A signature library takes any 32 bytes as a key. With bytes that are no point no signature is ever good, so the seat could
not move; with a point of small order the same signature is good for many texts. RFC 8032 has the numbers and formulas.
"""

KEY_LENGTH = 32

_P = 2**255 - 19
_D = -121665 * pow(121666, -1, _P) % _P
_ROOT_OF_MINUS_ONE = pow(2, (_P - 1) // 4, _P)


def problem_of_key(key: bytes) -> str | None:
    """The reason why a public key can't be used, as the end of a sentence; None if it can."""
    if len(key) != KEY_LENGTH:
        return f"has {len(key)} bytes"
    number = int.from_bytes(key, "little")
    y, sign = number % 2**255, number >> 255
    if y >= _P:
        return "is not written in the one form that a point has"
    x = _root((y * y - 1) * pow(_D * y * y + 1, -1, _P) % _P)
    if x is None or (x == 0 and sign):
        return "is no point of the curve"
    if _times_eight(x, y) == (0, 1):
        return "is a point of small order, for which anybody could sign"
    return None


def _root(square: int) -> int | None:
    """A square root modulo the prime; None if there is none."""
    root = pow(square, (_P + 3) // 8, _P)
    if root * root % _P != square:
        root = root * _ROOT_OF_MINUS_ONE % _P
    return root if root * root % _P == square else None


def _times_eight(x: int, y: int) -> tuple[int, int]:
    """A point, doubled three times. The points of small order are those for which this is the neutral point."""
    for _ in range(3):
        both = _D * x * x * y * y % _P
        x, y = 2 * x * y * pow(1 + both, -1, _P) % _P, (y * y + x * x) * pow(1 - both, -1, _P) % _P
    return x, y
