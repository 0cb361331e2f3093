"""What is sent: the plan of a request, and the ladder that takes context back. Pure: no database, network, clock."""

from .budget import RUNGS, Budget, Cache, Policy
from .overlay import Overlay
from .plan import Plan, plan
from .report import Row, Taken
from .summary import Need
from .tokens import Calibration, Estimator, text_tokens

__all__ = [
    "RUNGS", "Budget", "Cache", "Calibration", "Estimator", "Need", "Overlay", "Plan", "Policy", "Row", "Taken",
    "plan", "text_tokens",
]  # fmt: skip
