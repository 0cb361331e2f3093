"""The offline reader: the model that needs no key and no network, and is no language model.

A transport under the real SDK. It enforces the provider's rules, counts tokens by a rule of its own, has a small
window, and answers by quoting the passages of *exactly the request it got* that match the question best.
"""

from .transport import OfflineReader

__all__ = ["OfflineReader"]
