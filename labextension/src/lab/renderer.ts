/** The renderer of answers in a notebook's outputs. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';
import type { IRenderMime } from '@jupyterlab/rendermime-interfaces';
import { Widget } from '@lumino/widgets';
import { readAnswer } from '../core/turn';
import { type AnswerView, mount } from '../views/answer';
import type { Book } from './book';
import type { Link } from './link';
import { renderMarkdown } from './markdown';

const MARKDOWN = 'text/markdown';

export class AnswerRenderer extends Widget implements IRenderMime.IRenderer {
  readonly #rendermime: IRenderMimeRegistry;
  readonly #link: Link;
  readonly #book: Book;
  readonly #view: AnswerView;
  #model: IRenderMime.IMimeModel | null = null;

  constructor(rendermime: IRenderMimeRegistry, link: Link, book: Book) {
    super();
    this.addClass('jh-output');
    this.#rendermime = rendermime;
    this.#link = link;
    this.#book = book;
    this.#view = mount(this.node, {
      render: markdown => renderMarkdown(rendermime, markdown),
      settle: blocks => {
        for (const block of blocks) {
          rendermime.latexTypesetter?.typeset(block as HTMLElement);
        }
      },
      call: (name, args) => link.call(name, args),
      keep: data => this.#model?.setData({ data: data as IRenderMime.IMimeModel['data'] }),
      copy: text => navigator.clipboard.writeText(text),
      reveal: turn => book.reveal(turn),
      again: turn => book.again(turn)
    });
    link.changed.connect(this.#follow, this);
  }

  async renderModel(model: IRenderMime.IMimeModel): Promise<void> {
    this.#model = model;
    const answer = readAnswer(model.data);
    if (!answer) {
      this.node.replaceChildren(await renderMarkdown(this.#rendermime, [model.data[MARKDOWN] ?? ''].flat().join('')));
      return;
    }
    this.#link.open();
    const shown = this.#view.show(answer);
    this.#follow();
    await shown;
  }

  /** Only now the notebook knows in which cell this stands. */
  protected override onAfterAttach(): void {
    this.#follow();
  }

  override dispose(): void {
    if (!this.isDisposed) {
      this.#link.changed.disconnect(this.#follow, this);
      this.#view.dispose();
      super.dispose();
    }
  }

  #follow(): void {
    const { places, here } = this.#book.places(this.node);
    this.#view.stand(places, here);
    this.#view.follow(this.#link.path, this.#link.busy);
  }
}
