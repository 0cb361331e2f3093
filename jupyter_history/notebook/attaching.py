"""`--image`, `--file` and `` $`expression` ``: found in the notebook, so that a session gets values."""

from __future__ import annotations

import difflib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from IPython.core.error import UsageError

from ..tools.attached import Attached, attach
from ..tools.files import Named
from .keys import hide


def attached(
    prompt: str, images: Sequence[str], names: Mapping[str, Any], folder: Path, files: Sequence[str] = ()
) -> Attached | None:
    """What goes with a cell's prompt. `names`: the notebook's variables; files are looked for in `folder`.

    A usage error names the image or the file that is not there, or the expression that failed; nothing is sent then.
    """

    def evaluate(expression: str) -> Any:
        try:
            # the user's own code in the user's own namespace, as everywhere in a notebook
            return eval(compile(expression, "<prompt>", "eval"), dict(names))
        except Exception as error:
            why = " ".join(hide(f"{type(error).__name__}: {error}").split())
            raise UsageError(f"$`{expression}` failed ({why}); nothing was sent") from None

    return attach(
        prompt,
        [_found(image, names, folder, "--image") for image in images],
        evaluate,
        [_found(file, names, folder, "--file") for file in files],
    )


def _found(written: str, names: Mapping[str, Any], folder: Path, option: str) -> Named:
    """The value of a variable, or else the path of a file."""
    if written.isidentifier() and written in names:
        value = names[written]
        return Named(written, folder / value if isinstance(value, (str, Path)) else value)
    path = folder / Path(written).expanduser()
    if path.is_file():
        return Named(path.name, path)
    try:
        near = difflib.get_close_matches(path.name, [item.name for item in path.parent.iterdir()], n=1)
    except OSError:
        near = []
    hint = f"did you mean {near[0]}?" if near else f"files are looked for in {folder}"
    raise UsageError(f"{option}: there is no file and no variable {written!r}; {hint}")
