"""Queue disciplines written down in Python from the text of their RFCs and papers, as classes of one's own.

They share nothing with the engine but the packets they are handed; `test_aqm.py` drives both with the same arrivals.
"""

from aqm_by_text.blue import Blue, Sfb
from aqm_by_text.classes import Priority, Step, WeightedDrr
from aqm_by_text.cobalt import Cake, Cobalt
from aqm_by_text.codel import CoDel
from aqm_by_text.dualpi2 import DualPi2
from aqm_by_text.flow_queues import FqCoDel, FqPie
from aqm_by_text.pie import Pie

#: id of the engine's -> its text
TEXTS = {
    "codel": CoDel,
    "fq_codel": FqCoDel,
    "pie": Pie,
    "fq_pie": FqPie,
    "cobalt": Cobalt,
    "cake": Cake,
    "dualpi2": DualPi2,
    "step": Step,
    "blue": Blue,
    "sfb": Sfb,
    "priority": Priority,
    "weighted_drr": WeightedDrr,
}
