"""Which front end there is to talk to, and the link to it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ..comm import Link


def _shell() -> Any:
    from IPython.core.getipython import get_ipython

    return get_ipython()


def takes_widgets() -> bool:
    """Whether what is shown goes to a front end that may hold widgets.

    A request that says nothing of itself comes from a batch runner: it would save the widget's state in the notebook,
    which hides the HTML beside it in every export.
    """
    kernel = getattr(_shell(), "kernel", None)
    return kernel is not None and bool((kernel.get_parent() or {}).get("metadata"))


def has_extension() -> bool:
    """Whether a page with our JupyterLab extension listens: it draws from the JSON, and patches what it drew."""
    found = link()
    return found is not None and found.listening


def link() -> Link | None:
    """The link of the extension that is loaded in this kernel."""
    from ..extension import link_of

    shell = _shell()
    return None if shell is None else link_of(shell)


def answer_comms() -> None:
    """See to it that our JupyterLab extension is answered, where a script shows a view without `%load_ext`."""
    from ..comm import TARGET, Link, comm_manager
    from ..current import Current

    shell = _shell()
    comms = comm_manager(shell)
    if comms is not None and TARGET not in comms.targets:
        comms.register_target(TARGET, Link(Current(shell)).opened)
