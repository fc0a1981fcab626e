"""`rtproto Algorithmic`: routes along a tree whose nodes are numbered so that next hops follow from the numbers.

Source: ns-2's manual, chapter on unicast routing, and what ns-2.35 does. The tree is that of a breadth-first search
from node 0. With k children at most, the children of the node with number a have the numbers from a*k+1 on.
"""

from __future__ import annotations

from ackclock.ns2.bindings.tcl_object import NsError, method, ns2_class
from ackclock.ns2.library.routing.routes import STARTERS, RouteLogic


@ns2_class("RouteLogic/Algorithmic")
class AlgorithmicRoutes(RouteLogic):
    """Computes next hops from numbers."""

    def create(self, *args: str) -> None:
        super().create(*args)
        #: node -> its number in the tree, and the other way round
        self._place_of: dict[int, int] = {}
        self._node_at: dict[int, int] = {}
        self._children: dict[int, list[int]] = {}

    @method("BFS")
    def search(self) -> None:
        """Find the tree."""
        near: dict[int, list[int]] = {}
        for ends in self.simulator.vars.names("link_"):
            source, target = map(int, ends.split(":"))
            for one, other in ((source, target), (target, source)):
                if other not in near.setdefault(one, []):
                    near[one].append(other)
        self._children = {}
        met, queue = {0}, [0]
        while queue:
            parent = queue.pop(0)
            children = [node for node in near.get(parent, []) if node not in met]
            met.update(children)
            queue += children
            self._children[parent] = children

    @property
    def _width(self) -> int:
        return max(map(len, self._children.values()), default=0)

    @method()
    def compute(self) -> None:
        """Number the nodes. Before `BFS` it is an error, in ns-2's words."""
        if not self._children:
            raise NsError('can\'t read "root_": no such variable')
        self._place_of, self._node_at = {}, {}
        queue = [(0, 0)]
        while queue:
            node, place = queue.pop(0)
            self._place_of[node], self._node_at[place] = place, node
            queue += [(child, place * self._width + 1 + i) for i, child in enumerate(self._children[node])]

    @method()
    def lookup(self, source: str, target: str) -> int:
        """The next node on the way from one node to another."""
        numbers = [self._number(text) for text in (source, target)]
        for number in numbers:
            if number not in self._place_of:
                raise NsError(f'can\'t read "algoAdd_({number})": no such variable')
        first, last = (self._place_of[number] for number in numbers)
        return self._node_at[self._next_place(first, last)]

    def _next_place(self, source: int, target: int) -> int:
        if source == target:
            return source
        width, below = self._width, target
        child = target
        while below > source:
            child, below = below, (below - 1) // width
        return child if below == source else (source - 1) // width

    def install(self) -> None:
        """Set all nodes' routes."""
        self.call("BFS")
        self.call("compute")
        nodes = sorted(self.simulator.nodes)
        hops: list[list[int | None]] = [
            [None if here == there else self.lookup(str(here), str(there)) for there in nodes] for here in nodes
        ]
        self.engine.install_next_hops(hops)


def _install(logic: RouteLogic, nodes: list[str]) -> None:
    if isinstance(logic, AlgorithmicRoutes):
        logic.install()


STARTERS["Algorithmic"] = _install
