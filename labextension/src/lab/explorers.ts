/** The renderer of explorers in a notebook's outputs: draws from the JSON, and lives when a kernel of ours answers. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import type { Path } from '../core/path';
import { readView, VIEW_MIME, type ViewState } from '../core/view';
import { type Mounted, mountExplorer } from '../views/explorer';
import type { Book } from './book';
import type { Link } from './link';
import { renderMarkdown, typeset } from './markdown';

/** Before widgets (-10), which a notebook that is opened again cannot show. */
export const VIEW_RANK = -20;

/** As many rendered texts are kept; what streams leaves many behind. */
const RENDERED = 2000;

export class ViewRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #rendermime: IRenderMimeRegistry;
  readonly #link: Link;
  readonly #book: Book;
  readonly #listeners = new Set<() => void>();
  readonly #rendered = new Map<string, Promise<Node>>();
  #path: Path | null = null;
  #live = false;
  #state: ViewState | null = null;
  #html = '';
  #mounted: Mounted | null = null;

  constructor(rendermime: IRenderMimeRegistry, link: Link, book: Book) {
    super();
    this.addClass('jh-output');
    this.#rendermime = rendermime;
    this.#link = link;
    this.#book = book;
    link.changed.connect(this.#follow, this);
    link.stirred.connect(this.#stir, this);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    const before = this.#state;
    this.#state = readView(model.data[VIEW_MIME]);
    this.#html = [model.data['text/html'] ?? ''].flat().join('');
    this.#link.open();
    this.#path = this.#link.path;
    this.#live = this.#link.ready;
    if (before?.view === 'compare' && this.#state?.view === 'compare' && this.#mounted) {
      this.#tell(); // the same view has come further: it patches itself, and keeps what was opened and scrolled
      return;
    }
    this.#mounted?.dispose();
    this.#mounted = mountExplorer(this.node, {
      get: () => ({ state: this.#state, live: this.#link.ready, html: this.#html }),
      on: listener => {
        this.#listeners.add(listener);
        return () => this.#listeners.delete(listener);
      },
      call: (ask, args) => this.#link.call('explore', { conversation: this.#state?.conversation ?? '', ask, args }),
      markdown: text => this.#render(text),
      settle: element => void typeset(this.#rendermime, element),
      follow: (parent, hear) => this.#link.followers.add([this.#state?.conversation ?? '', parent], hear),
      copy: text => navigator.clipboard.writeText(text),
      again: (turn, code) => this.#book.again(turn, code, this.node)
    });
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#link.changed.disconnect(this.#follow, this);
      this.#link.stirred.disconnect(this.#stir, this);
      this.#mounted?.dispose();
      this.#listeners.clear();
      super.dispose();
    }
  }

  /** Only of moves, and of kernels that come and go: telling of every busy moment would make one. */
  #follow(): void {
    if (this.#path !== this.#link.path || this.#live !== this.#link.ready) {
      this.#path = this.#link.path;
      this.#live = this.#link.ready;
      this.#tell();
    }
  }

  #stir(_link: Link, conversation: string): void {
    if (conversation === this.#state?.conversation) {
      this.#tell();
    }
  }

  #tell(): void {
    for (const listener of this.#listeners) {
      listener();
    }
  }

  /** Each text is rendered once, and given away in copies. */
  async #render(text: string): Promise<Node> {
    const rendered = this.#rendered.get(text) ?? renderMarkdown(this.#rendermime, text);
    this.#rendered.set(text, rendered);
    if (this.#rendered.size > RENDERED) {
      this.#rendered.delete(this.#rendered.keys().next().value ?? '');
    }
    return (await rendered).cloneNode(true);
  }
}
