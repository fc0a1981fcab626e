"""Searches networks in which a congestion control fails a stated property, and reduces what it finds to a small file.

    from ackclock.batch.attack import attack

    for witness in attack("bbr", "utilisation", seed=1):
        print(witness.text)

`space` has the networks, `properties` what can be asked of a control. `evaluate` runs candidates and keeps their
figures, `search` looks for failures, `minimise` leaves out what a failure does not need, `witness` writes it down.
"""

from ackclock.batch.attack.properties import PROPERTIES, Property
from ackclock.batch.attack.search import Progress, attack
from ackclock.batch.attack.space import FEATURES, Feature
from ackclock.batch.attack.witness import Witness

__all__ = ["FEATURES", "PROPERTIES", "Feature", "Progress", "Property", "Witness", "attack"]
