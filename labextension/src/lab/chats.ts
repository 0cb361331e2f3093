/** The notebooks that are open, each with its line to the kernel. */

import { type INotebookTracker, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import { Token } from '@lumino/coreutils';
import { type ISignal, Signal } from '@lumino/signaling';
import { Book } from './book';
import { Link } from './link';

/** What a cell that loads or uses the extension says. */
const OURS = /jupyter_history|%chat/;

export interface Chat {
  panel: NotebookPanel;
  link: Link;
  book: Book;
}

export interface IChats {
  /** The notebook that was in front last. */
  readonly current: Chat | null;
  /** Another notebook is in front, or something changed in the one that is. */
  readonly changed: ISignal<IChats, void>;
  /** Lines that say what a command did. */
  readonly said: Signal<IChats, string>;
}

export const IChats = new Token<IChats>('jupyter-history:IChats', 'The notebooks that are open, with their kernels.');

export class Chats implements IChats {
  readonly changed = new Signal<this, void>(this);
  readonly said = new Signal<this, string>(this);
  readonly #tracker: INotebookTracker;
  readonly #chats = new Map<NotebookPanel['content'], Chat>();

  /** `serve` is called for each notebook that is open or opened. */
  constructor(tracker: INotebookTracker, serve: (chat: Chat) => void) {
    this.#tracker = tracker;
    const add = (panel: NotebookPanel): void => {
      const link = new Link(panel.sessionContext);
      const chat = { panel, link, book: new Book(panel, () => link.busy) };
      this.#chats.set(panel.content, chat);
      serve(chat);
      chat.link.changed.connect(() => this.#tell(chat));
      panel.content.activeCellChanged.connect(() => this.#tell(chat));
      panel.disposed.connect(() => {
        this.#chats.delete(panel.content);
        chat.link.dispose();
        this.changed.emit();
      });
      void panel.context.ready.then(() => {
        if (panel.isDisposed) {
          return;
        }
        // cells that are moved about change what stands above an answer
        panel.content.model?.cells.changed.connect(() => chat.link.changed.emit());
        if (speaks(panel)) {
          chat.link.open();
        }
      });
    };
    tracker.forEach(add);
    tracker.widgetAdded.connect((_tracker, panel) => add(panel));
    tracker.currentChanged.connect(() => this.changed.emit());
    // the extension may have been loaded by the cell that just ran, under answers that were here before
    NotebookActions.executed.connect((_actions, { notebook, cell }) => {
      if (OURS.test(cell.model.sharedModel.getSource())) {
        this.#chats.get(notebook)?.link.open();
      }
    });
  }

  get current(): Chat | null {
    const content = this.#tracker.currentWidget?.content;
    return (content && this.#chats.get(content)) ?? null;
  }

  #tell(chat: Chat): void {
    if (chat === this.current) {
      this.changed.emit();
    }
  }
}

/** Whether a notebook has to do with us: a kernel that never heard of us is not asked. */
function speaks(panel: NotebookPanel): boolean {
  const cells = panel.context.model.sharedModel.cells;
  return cells.some(cell => cell.cell_type === 'code' && OURS.test(cell.getSource()));
}
