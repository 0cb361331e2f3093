/** A notebook as its answers know it: where their turns stand in it, and how to ask for another. */

import type { CodeCell } from '@jupyterlab/cells';
import { NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import type { JSONObject } from '@lumino/coreutils';
import type { Place } from '../core/order';
import { readAnswer, type Turn } from '../core/turn';

/** An id comes from a file that anybody may have written, and becomes part of what the kernel runs. */
const ID = /^[0-9a-z]{6}$/;
const MAGIC = '%chat ';

export class Book {
  readonly #panel: NotebookPanel;
  readonly #busy: () => boolean;
  #places: readonly Place[] | null = null;

  /** `busy`: whether the kernel runs cells now. */
  constructor(panel: NotebookPanel, busy: () => boolean) {
    this.#panel = panel;
    this.#busy = busy;
  }

  /** What the cells show, from the first to the last; `here` is the cell that holds an element, or -1. */
  places(element: Node): { places: readonly Place[]; here: number } {
    const { widgets } = this.#panel.content;
    if (!this.#places) {
      // all answers ask at once when something changed: the notebook is read once for them
      this.#places = widgets.map(cell => shown(cell as CodeCell));
      queueMicrotask(() => {
        this.#places = null;
      });
    }
    return { places: this.#places, here: widgets.findIndex(cell => cell.node.contains(element)) };
  }

  /** The turn that the selected cell shows. */
  get selected(): string | null {
    const cell = this.#panel.content.activeCell;
    return cell ? (shown(cell as CodeCell)?.id ?? null) : null;
  }

  /** What that turn continues from; null is the root. */
  get parent(): string | null {
    const cell = this.#panel.content.activeCell;
    return cell ? (shown(cell as CodeCell)?.parent ?? null) : null;
  }

  /** Select the cell that shows a turn, and bring it into view. False where none does. */
  reveal(turn: string): boolean {
    const book = this.#panel.content;
    const index = book.widgets.findIndex(cell => shown(cell as CodeCell)?.id === turn);
    if (index < 0) {
      return false;
    }
    book.activeCellIndex = index;
    book.deselectAll();
    void book.scrollToItem(index, 'smart');
    return true;
  }

  /**
   * Ask once more where the answer streams and the stop button stops it: in the cell that shows this turn. Where none
   * does, in a new one below the cell that holds `from`; running that one again asks nothing.
   */
  async again(turn: string, code = `%chat again ${turn}`, from?: Node): Promise<void> {
    const kernel = this.#panel.sessionContext.session?.kernel;
    const shows = this.#panel.content.widgets.find(each => shown(each as CodeCell)?.id === turn);
    if (!kernel || !ID.test(turn) || !(shows || from)) {
      throw new Error('No cell shows this answer any more.');
    }
    if (this.#busy()) {
      throw new Error('The kernel is at work; ask once more when it is free.');
    }
    const here = shows && code.startsWith(MAGIC);
    const cell = (here ? shows : this.#add(`# Another answer beside ${turn}`, from)) as CodeCell;
    const content = { code, stop_on_error: false };
    const metadata: JSONObject = { cellId: cell.model.id };
    const { outputs } = cell.model;
    const before = outputs.toJSON();
    const future = kernel.requestExecute(content, false, metadata);
    cell.outputArea.future = future;
    cell.model.executionState = 'running';
    try {
      await future.done;
    } finally {
      cell.model.executionState = 'idle';
    }
    // where nothing was kept, what stood here stays, and the line that says what happened below it
    if ((shown(cell)?.outcome ?? 'failed') === 'failed') {
      outputs.fromJSON([...before, ...outputs.toJSON().filter(output => output.output_type === 'error')]);
    }
  }

  /** A new cell below the one that holds an element, in view. */
  #add(source: string, from?: Node): NotebookPanel['content']['widgets'][number] | undefined {
    const { content, context } = this.#panel;
    const holds = content.widgets.findIndex(cell => from && cell.node.contains(from));
    const at = (holds < 0 ? content.activeCellIndex : holds) + 1;
    context.model.sharedModel.insertCell(at, { cell_type: 'code', source });
    content.activeCellIndex = at;
    content.deselectAll();
    void content.scrollToItem(at, 'smart');
    return content.widgets[at];
  }

  /** Run a line in a new cell below the selected one. */
  async insert(source: string): Promise<void> {
    this.#add(source);
    await NotebookActions.run(this.#panel.content, this.#panel.sessionContext);
  }
}

/** The turn that a cell shows: the last of its outputs that is one. */
function shown(cell: CodeCell): Turn | null {
  const outputs = cell.model.type === 'code' ? cell.model.outputs : null;
  for (let index = (outputs?.length ?? 0) - 1; index >= 0; index--) {
    const answer = readAnswer(outputs?.get(index).data);
    if (answer) {
      return answer.turn;
    }
  }
  return null;
}
