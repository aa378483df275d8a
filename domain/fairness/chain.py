"""Hash chains: a seed, an anchor that commits to it, and the links between them, which are revealed backwards."""

from hashlib import sha256

from domain.values import Value

LINK_LENGTH = 32
_STRIDE = 16


def hashed(link: bytes, game_id: str, steps: int = 1) -> bytes:
    """A link, hashed some steps along a chain of this game: the result is an earlier revealed link, or the anchor.

    The game is part of every step, so a seed that is used again in another game makes an unrelated chain.
    """
    name = game_id.encode()
    prefix = b"liarsdice.chain.v1" + bytes((len(name),)) + name
    for _ in range(steps):
        link = sha256(prefix + link).digest()
    return link


class Chain(Value, frozen=True):
    """A party's whole chain, which only that party has. It keeps every `_STRIDE`th link and hashes the others anew."""

    game_id: str
    length: int
    milestones: tuple[bytes, ...]

    def link(self, number: int) -> bytes:
        """The link of a number: link 1 hashes to the anchor, link `length` is the seed itself."""
        if not 0 <= number <= self.length:
            raise IndexError(number)
        milestone, steps = divmod(self.length - number, _STRIDE)
        return hashed(self.milestones[milestone], self.game_id, steps)

    @property
    def anchor(self) -> bytes:
        """The commitment to the chain, public from the start."""
        return self.link(0)


def make_chain(seed: bytes, game_id: str, length: int) -> Chain:
    """The chain of a secret seed of 32 bytes, for one game."""
    if len(seed) != LINK_LENGTH:
        raise ValueError(f"a seed has {LINK_LENGTH} bytes, not {len(seed)}")
    milestones = [seed]
    for _ in range(length // _STRIDE):
        milestones.append(hashed(milestones[-1], game_id, _STRIDE))
    return Chain(game_id, length, tuple(milestones))
