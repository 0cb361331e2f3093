"""`%%chat` asks, `%chat` does everything else."""

from __future__ import annotations

from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any, ClassVar

from IPython.core.error import UsageError
from IPython.core.magic import Magics, cell_magic, line_magic, magics_class, no_var_expand

from ..errors import Stopped
from ..session.cells import AT_TIP
from .options import HELP, Options, chat_options, described, prompt, read
from .spelling import split

if TYPE_CHECKING:
    from argparse import ArgumentParser
    from collections.abc import Callable, Iterator

    from IPython.core.interactiveshell import InteractiveShell

    from ..progress import Watch
    from ..session.session import Ran, Session
    from ..session.turn import Turn
    from ..tools.attached import Attached
    from ..transcript import Maker
    from .comm import Link
    from .current import Current
    from .live import Display


@magics_class
class ChatMagics(Magics):
    """The magics of one shell. Both are called `chat`."""

    name: ClassVar[str] = "chat"

    def __init__(self, shell: InteractiveShell, current: Current, link: Link) -> None:
        super().__init__(shell)
        self.current = current
        self.link = link
        self._begun: Display | None = None

    @property
    def parser(self) -> ArgumentParser:
        """What reads a `%%chat` line."""
        parser: ArgumentParser = type(self).ask.parser
        return parser

    @chat_options
    @no_var_expand
    @cell_magic("chat")  # type: ignore[arg-type]
    def ask(self, line: str, cell: str) -> None:
        """Ask a language model. The text below the line is the prompt, exactly as typed.

        The conversation goes on from cell to cell and is kept in a database. An edited cell that runs again answers
        beside its first answer, and both stay. An unchanged cell shows its stored answer, without a call.
        `%chat help` lists what else there is: the tree of answers, other branches, costs.
        """
        with self.current.one_line():
            if not HELP.isdisjoint(split(line)):
                print(described(type(self).ask))
                return
            options = read(self.parser, line)
            settings = options.settings(Path.cwd())
            text = prompt(cell)
            with self.current.lock, self._starting(options):
                self._run(options, settings, text, self._attached(options, text))

    @no_var_expand
    @line_magic("chat")  # type: ignore[arg-type]
    def command(self, line: str) -> None:
        """Look at the conversation, move in it, or open another one.

        `%chat` alone shows where you are; `%chat help` lists the commands; `%%chat?` describes the cells that ask.
        """
        from .commands import run

        with self.current.one_line(), self.current.lock:
            run(self, line)

    # -- running a cell -------------------------------------------------------------------------------------------

    def _attached(self, options: Options, text: str) -> Attached | None:
        """The images, files and values that go with the prompt."""
        if not options.image and not options.file and "$`" not in text:
            return None
        from .attaching import attached

        return attached(text, options.image or (), self.current.shell.user_ns, Path.cwd(), options.file or ())

    def _run(self, options: Options, settings: dict[str, Any], text: str, attached: Attached | None) -> None:
        cell, _ = self.current.cells.peek()
        ordinal = self.current.cells.count()
        if cell is None:
            self._send(options, settings, text, attached)
            return
        from ..transcript import Maker

        self.current.ran.add(cell)
        self.current.begin()
        assert self.current.notebook is not None
        maker = Maker(self.current.notebook.id, cell, ordinal)
        session, at, edit = self._conversation(options, maker)
        if options.each:
            from . import grids

            grids.run(self, session, options, settings, text, maker, at, edit, attached)
            return

        def run(watch: Watch) -> Ran:
            return session.run(
                maker,
                text,
                settings,
                at=at,
                edit=edit,
                take=options.take,
                label=options.label,
                watch=watch,
                attached=attached,
            )

        self.shown(session, run, options.output)

    @contextmanager
    def _starting(self, options: Options) -> Iterator[None]:
        """The first cell of a kernel waits for imports: it says so in the display that its answer will have."""
        if self.current.session is None and not options.each:
            from .live import Display

            self._begun = Display(tell=self.link.tell)
            self._begun.start()
        try:
            yield
        finally:
            if self._begun is not None:
                self._begun.abandon()
                self._begun = None

    def _conversation(self, options: Options, maker: Maker) -> tuple[Session, str | None, str | None]:
        """Where the cell runs, and what `--at` and `--edit` mean there: a fork takes them for itself."""
        if options.fresh:
            return self.current.made(maker, None), None, None
        if options.fork is None:
            return self.current.home(maker), options.at, options.edit
        return self.current.made(maker, options.fork, lambda session: self._point(session, options)), None, None

    @staticmethod
    def _point(session: Session, options: Options) -> str | None:
        """The turn that a fork copies the path of; None for the tip."""
        if options.edit is not None:
            return session.tree.parent(session.tree.resolve(options.edit))
        return options.at if options.at != AT_TIP else None

    def _send(self, options: Options, settings: dict[str, Any], text: str, attached: Attached | None) -> None:
        """A cell without an identity (a terminal, a batch runner): always a new question."""
        from ..session.session import MOST_TAKES, Ran

        if options.take is not None and options.take > MOST_TAKES:
            raise UsageError(f"--take counts from 1 to {MOST_TAKES}, each a call; {options.take} is out of it")
        session = self.current.begin()
        if options.fresh:
            session = self.current.fresh(session)
        elif options.fork is not None:
            session = self.current.fork(session, self._point(session, options), options.fork)
        at, edit = (None, None) if options.fork is not None else (options.at, options.edit)
        if options.each:
            from . import grids

            grids.run(self, session, options, settings, text, None, at, edit, attached)
            return

        def send(watch: Watch) -> Ran:
            turn = session.send(text, at=at, edit=edit, label=options.label, watch=watch, attached=attached, **settings)
            for _ in range((options.take or 1) - 1):
                turn = session.again(turn.id, watch=watch)
            if options.take is not None and options.label is not None:
                session.label(turn.id, options.label)
            return Ran(turn, False, ())

        self.shown(session, send, options.output)

    def shown(self, session: Session, run: Callable[[Watch], Ran], output: str | None = None) -> Turn:
        """Run with the answer shown in one display while it comes; bind it; tell the front ends where the tip is."""
        from .answers import Display

        display, self._begun = self._begun or Display(tell=self.link.tell), None
        notes = self.current.told()
        try:
            ran = run(display.watch)
        except Stopped as stop:
            if stop.turn is not None:
                turn = session.turn(stop.turn)
                display.finish(turn, notes=notes)
                self._bind(output, turn)
            else:
                display.abandon(notes)
            raise
        except BaseException:
            display.abandon(notes)
            raise
        else:
            display.finish(ran.turn, stored=ran.stored, notes=(*notes, *ran.notes))
            self._bind(output, ran.turn)
            return ran.turn
        finally:
            self.link.moved()

    def _bind(self, name: str | None, turn: Turn) -> None:
        if name is not None:
            self.current.shell.user_ns[name] = turn
