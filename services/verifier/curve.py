"""Public keys of Ed25519: whether 32 bytes are a point of the curve that can be a key (RFC 8032, sections 5.1.3 and 5.1).

Libraries take any 32 bytes as a key. With a point of small order, anybody can make signatures that are good for many
texts. So a seat with such a key would seem to sign, and would not.
"""

PRIME = 2**255 - 19
D = -121665 * pow(121666, -1, PRIME) % PRIME
"""The number of the curve's equation -x^2 + y^2 = 1 + D x^2 y^2."""
ROOT_OF_MINUS_ONE = pow(2, (PRIME - 1) // 4, PRIME)
NEUTRAL = (0, 1)

Point = tuple[int, int]


def problem_of_key(key: bytes) -> str | None:
    """Why nobody can sign with this key, or anybody, as the end of a sentence; None if it is a good one."""
    point = _decoded(key)
    if point is None:
        return "is not a point of the curve"
    for _ in range(3):
        point = _doubled(point)
    return "is a point of small order, for which anybody can sign" if point == NEUTRAL else None


def _decoded(key: bytes) -> Point | None:
    """The point that 32 bytes stand for; None if they are not the one spelling of a point."""
    number = int.from_bytes(key, "little")
    y, sign = number % 2**255, number >> 255
    x = _root((y * y - 1) * pow(D * y * y + 1, -1, PRIME) % PRIME) if y < PRIME else None
    if x is None or (x == 0 and sign):
        return None
    return (x if x % 2 == sign else PRIME - x), y


def _root(square: int) -> int | None:
    """A square root modulo the prime; None if there is none."""
    root = pow(square, (PRIME + 3) // 8, PRIME)
    for candidate in (root, root * ROOT_OF_MINUS_ONE % PRIME):
        if candidate * candidate % PRIME == square:
            return candidate
    return None


def _doubled(point: Point) -> Point:
    """A point, added to itself."""
    x, y = point
    both = D * x * x * y * y % PRIME
    return 2 * x * y * pow(1 + both, -1, PRIME) % PRIME, (y * y + x * x) * pow(1 - both, -1, PRIME) % PRIME
