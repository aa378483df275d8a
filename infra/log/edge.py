"""The edge of a log: its size, and the few nodes that its root follows from. It is all that is needed to extend the log."""

from collections.abc import Mapping, Sequence
from functools import cached_property

from infra.log import merkle
from infra.log.merkle import Node


class Edge:
    """The edge of a log at one size."""

    def __init__(self, size: int, nodes: Mapping[Node, bytes]) -> None:
        """`nodes` must have those for the root; the others are not kept."""
        self.size = size
        self.nodes = {node: nodes[node] for node in merkle.nodes_for_root(size)}

    @cached_property
    def root(self) -> bytes:
        """The root of the log."""
        return merkle.root(self.size, self.nodes)

    def grown(self, leaves: Sequence[bytes]) -> "tuple[Edge, dict[Node, bytes]]":
        """The edge after leaves with these hashes, and the nodes that they complete."""
        completed = merkle.appended(self.size, leaves, self.nodes)
        return Edge(self.size + len(leaves), self.nodes | completed), completed
