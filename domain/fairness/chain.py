"""Hash chains: a seed, an anchor that commits to it, and the links between them, revealed last made first."""

from hashlib import sha256

from domain.values import Value

LINK_LENGTH = 32
_PREFIX = b"liarsdice.chain.v1"
_STRIDE = 16


def hashed(link: bytes) -> bytes:
    """One step of a chain: what a link must hash to is the link revealed before it, or the anchor."""
    return sha256(_PREFIX + link).digest()


class Chain(Value, frozen=True):
    """A party's whole chain, which only that party has. Every `_STRIDE`th link is kept, the others are hashed anew."""

    length: int
    milestones: tuple[bytes, ...]

    def link(self, index: int) -> bytes:
        """The link that is revealed as number `index`: 1 comes first, `length` is the seed itself."""
        if not 0 <= index <= self.length:
            raise IndexError(index)
        milestone, steps = divmod(self.length - index, _STRIDE)
        link = self.milestones[milestone]
        for _ in range(steps):
            link = hashed(link)
        return link

    @property
    def anchor(self) -> bytes:
        """The commitment to the chain, public from the start."""
        return self.link(0)


def make_chain(seed: bytes, length: int) -> Chain:
    """The chain of a secret seed of 32 bytes."""
    if len(seed) != LINK_LENGTH:
        raise ValueError(f"a seed has {LINK_LENGTH} bytes, not {len(seed)}")
    milestones, link = [seed], seed
    for step in range(1, length + 1):
        link = hashed(link)
        if step % _STRIDE == 0:
            milestones.append(link)
    return Chain(length, tuple(milestones))
