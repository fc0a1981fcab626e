"""Shortest ways through what link-state routing knows of a network, every first hop of equally short ones kept.

Source: ns-2.35's link-state routing. The order in which equally short ways are found decides which of them a node
without `multiPath_` takes: nearer nodes first, lower numbers first among them.
"""

from __future__ import annotations


class LinkStatus:
    """One link of a node, as the node has announced it."""

    # No dataclass: what `dataclasses` loads would make every start slower.
    def __init__(self, is_up: bool, cost: int, sequence: int = 0) -> None:
        self.is_up = is_up
        self.cost = cost
        #: sequence number of the announcement; 0 before the first
        self.sequence = sequence

    def copy(self) -> LinkStatus:
        """The same, to be kept apart."""
        return LinkStatus(self.is_up, self.cost, self.sequence)


#: neighbour -> the link to it, in the order in which the node lists them
LinkStates = dict[int, LinkStatus]

#: destination -> cost, first hops
Ways = dict[int, tuple[int, list[int]]]


def shortest_ways(here: int, database: dict[int, LinkStates]) -> Ways:
    """The shortest ways from one node to all that it knows of, itself included."""
    found: Ways = {here: (0, [here])}
    tentative: Ways = {}
    node = here
    while node in database:
        cost_here, hops_here = found[node]
        for near, link in database[node].items():
            cost = cost_here + link.cost
            if link.is_up and not (near in found and found[near][0] < cost):
                _offer(tentative, near, cost, [near] if node == here else hops_here)
        while tentative:
            node, cost, hop = _take_nearest(tentative)
            _offer(found, node, cost, [hop])
            if node in database:
                break
        else:
            break
    return found


def _offer(ways: Ways, node: int, cost: int, hops: list[int]) -> None:
    known = ways.get(node)
    if known is None or cost < known[0]:
        ways[node] = cost, list(hops)
    elif cost == known[0]:
        known[1].extend(hop for hop in hops if hop not in known[1])


def _take_nearest(ways: Ways) -> tuple[int, int, int]:
    """Node, cost and first hop of the nearest node's way; its other first hops stay."""
    node = min(ways, key=lambda number: (ways[number][0], number))
    cost, hops = ways[node]
    hop = hops.pop(0)
    if not hops:
        del ways[node]
    return node, cost, hop
