/** Plugin: the side panel, which follows the notebook in front. */

import { ILayoutRestorer, type JupyterFrontEnd, type JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { CommandRegistry } from '@lumino/commands';
import type { Message } from '@lumino/messaging';
import { Widget } from '@lumino/widgets';
import type { Desk, Standing } from '../panel/desk';
import { mountPanel } from '../panel/panel';
import { IChats } from './chats';
import { chatIcon } from './icon';
import { renderMarkdown, typeset } from './markdown';

export const PANEL = 'jupyter-history-panel';
/** Milliseconds: a run tells of several changes at once. */
const SOON = 100;

class ChatPanel extends Widget {
  readonly #chats: IChats;
  readonly #commands: CommandRegistry;
  readonly #listeners = new Set<() => void>();
  #unmount: (() => void) | null = null;
  #soon: ReturnType<typeof setTimeout> | undefined;
  #seen = '';

  constructor(chats: IChats, commands: CommandRegistry) {
    super();
    this.#chats = chats;
    this.#commands = commands;
    this.id = PANEL;
    this.title.icon = chatIcon;
    this.title.caption = 'Chat: the conversation of this notebook';
    this.addClass('jh-panel');
    this.node.tabIndex = -1;
    this.node.setAttribute('role', 'region');
    this.node.setAttribute('aria-label', 'Chat');
    chats.changed.connect(this.#follow, this);
  }

  /** A panel that nobody sees asks nothing. */
  protected override onAfterShow(_message: Message): void {
    if (!this.#unmount) {
      const place = document.createElement('div');
      this.node.replaceChildren(place);
      this.#unmount = mountPanel(place, this.#desk());
    }
    this.#seen = '';
    this.#follow();
  }

  protected override onAfterAttach(message: Message): void {
    if (this.isVisible) {
      this.onAfterShow(message);
    }
  }

  /** The palette gives the focus back to where it was, and only then it can be taken. */
  protected override onActivateRequest(_message: Message): void {
    setTimeout(() => this.node.focus(), SOON);
  }

  override dispose(): void {
    if (!this.isDisposed) {
      clearTimeout(this.#soon);
      this.#chats.changed.disconnect(this.#follow, this);
      this.#unmount?.();
      super.dispose();
    }
  }

  #follow(): void {
    clearTimeout(this.#soon);
    this.#soon = setTimeout(() => {
      const chat = this.#chats.current;
      const path = chat?.link.path;
      // a cell that is selected, or a kernel that begins to work, changes nothing here
      const seen = [this.#standing(), chat?.panel.id, path?.conversation, path?.ids.at(-1), chat?.link.news].join(' ');
      if (this.isVisible && seen !== this.#seen) {
        this.#seen = seen;
        for (const listener of this.#listeners) {
          listener();
        }
      }
    }, SOON);
  }

  #standing(): Standing {
    const chat = this.#chats.current;
    if (!chat) {
      return 'none';
    }
    if (!chat.panel.sessionContext.session?.kernel) {
      return 'off';
    }
    return chat.link.ready ? 'ready' : 'strange';
  }

  #desk(): Desk {
    const on = (listener: () => void): (() => void) => {
      this.#listeners.add(listener);
      return () => this.#listeners.delete(listener);
    };
    const call = (name: string, args: Record<string, unknown> = {}): Promise<unknown> =>
      this.#chats.current?.link.call(name, args) ?? Promise.reject(new Error('No notebook is open.'));
    return {
      standing: () => this.#standing(),
      notebook: () => this.#chats.current?.panel.title.label ?? '',
      caution: () => this.#chats.current?.link.apart ?? '',
      on,
      onSaid: listener => {
        const hear = (_chats: IChats, line: string): void => listener(line);
        this.#chats.said.connect(hear);
        return () => this.#chats.said.disconnect(hear);
      },
      call,
      reveal: turn => this.#chats.current?.book.reveal(turn) ?? false,
      run: command => void this.#commands.execute(command),
      stage: state => ({
        get: () => ({ state, live: this.#standing() === 'ready', html: '' }),
        on,
        call: (ask, args) => call('explore', { conversation: state.conversation, ask, args }),
        markdown: text => {
          const rendermime = this.#chats.current?.panel.content.rendermime;
          return rendermime ? renderMarkdown(rendermime, text) : Promise.resolve(document.createTextNode(text));
        },
        settle: element => {
          const rendermime = this.#chats.current?.panel.content.rendermime;
          if (rendermime) {
            void typeset(rendermime, element);
          }
        },
        follow: (parent, hear) =>
          this.#chats.current?.link.followers.add([state.conversation, parent], hear) ?? (() => undefined),
        copy: text => navigator.clipboard.writeText(text),
        again: (turn, code) =>
          this.#chats.current?.book.again(turn, code, this.node) ?? Promise.reject(new Error('No notebook is open.'))
      })
    };
  }
}

export const panel: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-history:panel',
  description: 'A side panel: conversations, their tree, the context window, labels.',
  autoStart: true,
  requires: [IChats],
  optional: [ILayoutRestorer],
  activate: (app: JupyterFrontEnd, chats: IChats, restorer: ILayoutRestorer | null) => {
    const widget = new ChatPanel(chats, app.commands);
    app.shell.add(widget, 'right', { rank: 700 });
    restorer?.add(widget, PANEL);
  }
};
