/** An answer in a page: its text, its thinking folded, and a line about where it stands. */

import { type Face, face } from '../core/face';
import type { Place } from '../core/order';
import { hasNewSibling, type Path } from '../core/path';
import { type Answer, readAnswer } from '../core/turn';
import { Blocks } from './blocks';
import { coded } from './coded';
import { button, make, name, write } from './dom';
import type { Host } from './host';

const MOVE = 'The next prompt continues from this answer. Nothing is deleted.';
const AGAIN = 'Ask the model once more (a call). Both answers stay.';
const PARENT = 'Show the answer that this one continues from';
const NO_KERNEL = 'needs a running kernel with jupyter_history loaded';
const BUSY = 'the kernel is busy; this comes when it is free';
/** Milliseconds until an answer that is not on the path is called so, and until a wait is explained. */
const LANDING = 500;
const PATIENCE = 500;

export class AnswerView {
  readonly #host: Host;
  readonly #root = make('div', { class: 'jh-answer', role: 'article' });
  readonly #mark = make('div', { class: 'jh-mark', hidden: true });
  readonly #markText = make('span');
  readonly #prompt = make('div', { class: 'jh-prompt', hidden: true });
  readonly #thinking = make('details', { class: 'jh-thinking', hidden: true });
  readonly #thoughts = make('div', { class: 'jh-thoughts' });
  readonly #body = make('div', { class: 'jh-body jp-RenderedHTMLCommon' });
  readonly #parent = make('div', { class: 'jh-parent', hidden: true });
  readonly #notes = make('ul', { class: 'jh-notes', hidden: true });
  readonly #siblings = make('span', {
    class: 'jh-siblings',
    role: 'group',
    'aria-label': 'Answers beside this one',
    hidden: true
  });
  readonly #position = make('span', { class: 'jh-position', 'aria-live': 'polite' });
  readonly #footer = make('span', { class: 'jh-footer' });
  readonly #status = make('span', { class: 'jh-status', role: 'status' });
  readonly #previous = button('jh-step', '', '‹', () => this.#walk('previous'));
  readonly #next = button('jh-step', '', '›', () => this.#walk('next'));
  readonly #move = button('jh-move', '', '', () => void this.#continue());
  readonly #moveBack = button('jh-move', '', '', () => void this.#continue());
  readonly #astray = make('span', { class: 'jh-astray', hidden: true });
  readonly #up = button('jh-up', PARENT, '↑', () => void this.#showParent());
  readonly #again = button('jh-again', '', 'another answer', () => void this.#askAgain());
  readonly #copy = button('jh-copy', 'Copy the answer as Markdown', 'copy', () => void this.#copyText());
  readonly #blocks = new Blocks(this.#body);

  #own: Answer | null = null;
  #shown: Answer | null = null;
  #ids: readonly string[] = [];
  #path: Path | null = null;
  #places: readonly Place[] = [];
  #here = -1;
  #waiting = false;
  #busy = true;
  /** The notes that stand in the page. */
  #noted = '';
  #landing = false;
  #landed: ReturnType<typeof setTimeout> | undefined;
  /** Each drawing has a number: a slow one never overwrites a later one. */
  #drawing = 0;
  /** The path for which something was last asked unbidden: what failed is not asked again until the path moves. */
  #asked: Path | null = null;

  constructor(element: HTMLElement, host: Host) {
    this.#host = host;
    this.#mark.append(this.#markText, this.#moveBack);
    this.#thinking.append(make('summary', { 'data-lm-suppress-shortcuts': 'true' }, 'thinking'), this.#thoughts);
    this.#siblings.append(this.#previous, this.#position, this.#next);
    name(this.#again, 'another answer', AGAIN);
    const acts = make('span', { class: 'jh-acts' }, this.#move, this.#up, this.#again, this.#copy);
    const line = make('div', { class: 'jh-line' }, this.#siblings, this.#astray, this.#footer, this.#status, acts);
    this.#root.append(this.#mark, this.#parent, this.#prompt, this.#thinking, this.#body, this.#notes, line);
    this.#siblings.addEventListener('keydown', event => this.#key(event));
    this.#root.addEventListener('pointerenter', () => void this.#lookUp());
    this.#root.addEventListener('focusin', () => void this.#lookUp());
    element.append(this.#root);
  }

  /** Show what the cell's output holds; called again for each piece that streams in. */
  async show(answer: Answer): Promise<void> {
    const same = this.#own?.turn.id === answer.turn.id;
    const looking = same && this.#shown !== this.#own;
    if (!same || (this.#own?.turn.streaming && !answer.turn.streaming)) {
      this.#land();
    }
    this.#own = answer;
    if (looking) {
      return;
    }
    const more = same && answer.turn.outcome !== 'failed' && this.#ids.length > answer.turn.siblings.length;
    this.#ids = more ? this.#ids : answer.turn.siblings;
    await this.#draw(answer);
  }

  /** The path changed, or the kernel came, went (`path` is null), or is at work or not. */
  follow(path: Path | null, busy: boolean): void {
    if (path !== this.#path) {
      this.#landing = false;
    }
    this.#path = path;
    this.#busy = busy;
    const own = this.#own;
    if (own && path && path.conversation === own.turn.conversation) {
      if (own.turn.streaming && path.ids.includes(own.turn.id)) {
        this.#recover(own.turn.id);
      } else if (hasNewSibling(own.turn, this.#ids, path)) {
        void this.#lookUp();
      }
    }
    this.#paint();
  }

  /** What the notebook's cells show, in their order, and which of them this is (-1: nobody knows). */
  stand(places: readonly Place[], here: number): void {
    this.#places = places;
    this.#here = here;
  }

  dispose(): void {
    clearTimeout(this.#landed);
    this.#drawing++;
    this.#root.remove();
  }

  async #draw(answer: Answer): Promise<void> {
    if (this.#shown?.turn.parent !== answer.turn.parent) {
      this.#closeParent();
    }
    this.#shown = answer;
    const drawing = ++this.#drawing;
    this.#paint();
    const rendered = await this.#host.render(answer.markdown);
    if (drawing === this.#drawing) {
      this.#host.settle(this.#blocks.show(rendered));
    }
  }

  /** An answer is shown a moment before the kernel tells that the path now ends with it. */
  #land(): void {
    this.#landing = true;
    clearTimeout(this.#landed);
    this.#landed = setTimeout(() => {
      this.#landing = false;
      this.#paint();
    }, LANDING);
  }

  get #live(): boolean {
    return this.#path !== null;
  }

  #face(own: Answer, shown: Answer): Face {
    const path = this.#landing ? null : this.#path;
    const [ids, live, waiting, busy] = [this.#ids, this.#live, this.#waiting, this.#busy];
    const [places, here] = [this.#places, this.#here];
    return face({ own, shown, ids, path, places, here, live, waiting, busy });
  }

  #paint(): void {
    const [own, shown] = [this.#own, this.#shown];
    if (!own || !shown) {
      return;
    }
    const { turn } = shown;
    const now = this.#face(own, shown);
    this.#root.setAttribute('aria-label', ['Answer', now.position, turn.model].filter(Boolean).join(', '));
    this.#root.setAttribute('aria-busy', String(now.writing));
    this.#root.classList.toggle('jh-off', now.mark !== '');
    this.#root.classList.toggle('jh-writing', now.writing);
    this.#paintMark(now, shown === own);
    this.#prompt.hidden = now.prompt === '';
    write(this.#prompt, now.prompt);
    this.#thinking.hidden = turn.thinking === '';
    write(this.#thoughts, turn.thinking);
    this.#notes.hidden = turn.notes.length === 0;
    if (turn.notes.join() !== this.#noted) {
      this.#noted = turn.notes.join();
      this.#notes.replaceChildren(...turn.notes.map(note => make('li', {}, ...coded(note))));
    }
    this.#siblings.hidden = now.position === '';
    write(this.#position, now.position);
    this.#step(this.#previous, 'Earlier answer', now.previous);
    this.#step(this.#next, 'Later answer', now.next);
    this.#astray.hidden = now.astray === '';
    write(this.#astray, now.astray);
    this.#up.hidden = turn.parent === null || now.writing;
    this.#again.hidden = !now.again;
    this.#again.setAttribute('aria-disabled', String(this.#waiting));
    write(this.#footer, turn.footer);
    this.#copy.hidden = now.writing;
  }

  /** The way back stands with the mark where the cell's own answer was left, in the line below while looking around. */
  #paintMark(now: Face, own: boolean): void {
    this.#mark.hidden = now.mark === '';
    write(this.#markText, now.mark);
    for (const [element, here] of [
      [this.#moveBack, own],
      [this.#move, !own]
    ] as const) {
      element.hidden = now.move === '' || !here;
      element.setAttribute('aria-disabled', String(this.#waiting));
      write(element, now.move);
      name(element, now.move, MOVE);
    }
  }

  #step(element: HTMLButtonElement, label: string, target: string | null): void {
    element.setAttribute('aria-disabled', String(target === null));
    name(element, label, this.#live ? label : NO_KERNEL);
  }

  #key(event: KeyboardEvent): void {
    const way = { ArrowLeft: 'previous', ArrowRight: 'next' }[event.key] as 'previous' | 'next' | undefined;
    if (way) {
      event.preventDefault();
      event.stopPropagation();
      (way === 'previous' ? this.#previous : this.#next).focus();
      this.#walk(way);
    }
  }

  /** Look at a sibling. Only looking: the tip stays where it is. */
  #walk(way: 'previous' | 'next'): void {
    const [own, shown] = [this.#own, this.#shown];
    if (!own || !shown) {
      return;
    }
    const id = this.#face(own, shown)[way];
    if (id === own.turn.id) {
      void this.#draw(own);
    } else if (id) {
      void this.#ask('answer', id, async result => {
        const answer = readAnswer((result as { data?: unknown }).data);
        if (answer) {
          await this.#draw(answer);
        }
      });
    }
  }

  /** Move the tip to the answer that is shown. The kernel tells the new path to everybody. */
  #continue(): Promise<void> {
    return this.#ask('continue', this.#shown?.turn.id, async result => {
      this.#say(String((result as { note?: unknown }).note ?? ''));
    });
  }

  /** Go to the cell that shows the parent; where none does, show it here, or take it away again. */
  async #showParent(): Promise<void> {
    const parent = this.#shown?.turn.parent;
    if (!parent || this.#host.reveal(parent)) {
      return;
    }
    if (!this.#parent.hidden) {
      this.#closeParent();
    } else if (!this.#live) {
      this.#say('No cell here shows it, and no kernel runs that could be asked.');
    } else {
      await this.#ask('answer', parent, async result => {
        const answer = readAnswer((result as { data?: unknown }).data);
        if (answer) {
          const asked = make('div', { class: 'jh-prompt' }, answer.turn.question);
          const body = make('div', { class: 'jp-RenderedHTMLCommon' }, await this.#host.render(answer.markdown));
          this.#parent.replaceChildren(asked, body, make('div', { class: 'jh-footer' }, answer.turn.footer));
          this.#parent.hidden = false;
          this.#host.settle([body]);
        }
      });
    }
  }

  #closeParent(): void {
    this.#parent.hidden = true;
    this.#parent.replaceChildren();
  }

  /** Ask once more: the cell is filled anew, and this view goes with what it showed. */
  async #askAgain(): Promise<void> {
    const turn = this.#own?.turn.id;
    if (turn) {
      try {
        await this.#host.again(turn);
      } catch (error) {
        this.#say(error instanceof Error ? error.message : String(error));
      }
    }
  }

  /** The siblings as the store knows them; asked unbidden, so nothing is said of it. */
  async #lookUp(): Promise<void> {
    const turn = this.#own?.turn;
    if (!turn || turn.streaming || turn.conversation !== this.#path?.conversation || this.#asked === this.#path) {
      return;
    }
    this.#asked = this.#path;
    try {
      const { ids } = (await this.#host.call('siblings', { turn: turn.id })) as { ids?: unknown };
      if (Array.isArray(ids)) {
        this.#ids = ids.filter(id => typeof id === 'string');
        this.#paint();
      }
    } catch {
      // what is known stays
    }
  }

  /** A page that was reloaded in the middle of an answer holds a half: the store has the whole. */
  #recover(id: string): void {
    if (this.#asked === this.#path) {
      return;
    }
    this.#asked = this.#path;
    void this.#ask('answer', id, async result => {
      const { data } = result as { data?: unknown };
      if (readAnswer(data) && this.#own?.turn.streaming) {
        this.#host.keep(data);
      }
    });
  }

  async #ask(name: string, turn: string | undefined, use: (result: unknown) => Promise<void>): Promise<void> {
    if (!turn || !this.#live) {
      return;
    }
    this.#waiting = true;
    this.#say('');
    this.#paint();
    const patience = setTimeout(() => this.#say(BUSY), PATIENCE);
    try {
      const result = await this.#host.call(name, { turn }).finally(() => clearTimeout(patience));
      this.#say('');
      await use(result ?? {});
    } catch (error) {
      this.#say(error instanceof Error ? error.message : String(error));
    }
    this.#waiting = false;
    this.#paint();
  }

  async #copyText(): Promise<void> {
    try {
      await this.#host.copy(this.#shown?.markdown ?? '');
      this.#say('copied');
    } catch {
      this.#say('the browser did not allow copying');
    }
  }

  #say(text: string): void {
    this.#status.replaceChildren(...coded(text));
  }
}

/** Mount an answer into any element. */
export function mount(element: HTMLElement, host: Host): AnswerView {
  return new AnswerView(element, host);
}
