/** Plugin: commands on the conversation of the notebook in front, in the palette and in a menu. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { ICommandPalette, InputDialog, Notification } from '@jupyterlab/apputils';
import { list, record, text } from '../core/reading';
import { type Chat, IChats } from './chats';
import { chatIcon } from './icon';
import { PANEL } from './panel';

const CATEGORY = 'Chat';

interface Command {
  label: string;
  caption: string;
  /** Whether it can be done now. */
  can: (chat: Chat) => boolean;
  /** Do it; gives the line that says what happened, or nothing. */
  run: (chat: Chat) => Promise<unknown>;
}

const ready = ({ link }: Chat): boolean => link.ready;
const talking = ({ link }: Chat): boolean => link.path !== null;
const onAnswer = (chat: Chat): boolean => talking(chat) && chat.book.selected !== null;

/** What a cell of this notebook shows may be gone from, or never have been in, the open conversation. */
const COMMANDS: Record<string, Command> = {
  new: {
    label: 'New Conversation…',
    caption: 'Begin an empty conversation in this notebook',
    can: ready,
    run: async ({ link }) => {
      const name = await InputDialog.getText({ title: 'New conversation', label: 'Its name (may stay empty)' });
      return name.button.accept ? link.call('new', { name: name.value?.trim() ?? '' }) : null;
    }
  },
  'continue-from': {
    label: 'Continue From…',
    caption: 'Choose the turn that the next new chat cell continues from',
    can: talking,
    run: async ({ link, book }) => {
      const { items } = record(await link.call('turns'));
      const known = list(items).map(record);
      const named = known.map(({ turn, title, label }) =>
        [turn, label && `(${label})`, title].filter(Boolean).join(' ')
      );
      const beginning = 'root the beginning';
      const at = known.findIndex(({ turn }) => turn === book.selected);
      const chosen = await InputDialog.getItem({
        title: 'Continue from',
        label: 'The next new chat cell continues from this turn',
        items: [...named, beginning],
        current: Math.max(0, at)
      });
      const turn = chosen.button.accept ? (chosen.value ?? '').split(' ')[0] : '';
      return turn ? link.call('branch', { turn }) : null;
    }
  },
  fork: {
    label: 'Fork the Conversation…',
    caption: 'Go on in a copy of the path to the answer in the selected cell, or to the tip',
    can: talking,
    run: async ({ link, book }) => {
      const turn = book.selected;
      const name = await InputDialog.getText({
        title: turn ? `Fork at ${turn}` : 'Fork at the tip',
        label: "The copy's name (may stay empty)"
      });
      return name.button.accept ? link.call('fork', { turn, name: name.value?.trim() ?? '' }) : null;
    }
  },
  compare: {
    label: 'Compare the Answers Beside This One',
    caption: 'Show all answers to the parent of the answer in the selected cell, side by side, in a new cell',
    can: onAnswer,
    run: async chat => {
      const turn = chat.book.selected ?? '';
      const { ids } = record(await chat.link.call('siblings', { turn }));
      if (list(ids).length < 2) {
        return { note: 'There is no other answer beside this one.' };
      }
      await chat.book.insert(`%chat compare ${turn}`);
      return null;
    }
  },
  again: {
    label: 'Another Answer',
    caption: 'Ask the prompt of the selected cell once more, beside its answer (a call of the model)',
    can: onAnswer,
    run: ({ book }) => book.again(book.selected ?? '')
  },
  parent: {
    label: 'Show the Parent',
    caption: 'Select the cell of the answer that the one in the selected cell continues from',
    can: onAnswer,
    run: async ({ book }) => {
      const parent = book.parent;
      if (parent === null) {
        return { note: 'This answer begins the conversation.' };
      }
      return book.reveal(parent) ? null : { note: `No cell of this notebook shows ${parent}.` };
    }
  }
};

interface Sides {
  activateById(id: string): void;
  collapseRight?(): void;
}

export const commands: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-history:commands',
  description: 'Commands for conversations, in the palette and the menu Chat.',
  autoStart: true,
  requires: [IChats],
  optional: [ICommandPalette],
  activate: ({ commands: registry, shell }: JupyterFrontEnd, chats: IChats, palette: ICommandPalette | null) => {
    const seen = (): boolean => [...shell.widgets('right')].some(widget => widget.id === PANEL && widget.isVisible);
    const say = (line: string, type: 'default' | 'warning' = 'default'): void => {
      if (line && seen()) {
        chats.said.emit(line);
      } else if (line) {
        Notification.emit(line.replaceAll('`', ''), type, { autoClose: 5000 });
      }
    };
    for (const [name, { label, caption, can, run }] of Object.entries(COMMANDS)) {
      registry.addCommand(`jupyter-history:${name}`, {
        label,
        caption,
        isEnabled: () => chats.current !== null && can(chats.current),
        execute: async () => {
          const chat = chats.current;
          if (chat) {
            try {
              say(text(record(await run(chat)).note));
            } catch (error) {
              say(error instanceof Error ? error.message : String(error), 'warning');
            }
          }
        }
      });
      palette?.addItem({ command: `jupyter-history:${name}`, category: CATEGORY });
    }
    registry.addCommand('jupyter-history:toggle-panel', {
      label: 'Chat Panel',
      caption: 'Show or hide the panel with the conversation of the notebook in front',
      icon: args => (args.toolbar ? chatIcon : undefined),
      isToggled: seen,
      execute: () => {
        const sides = shell as unknown as Sides;
        if (seen()) {
          sides.collapseRight?.();
        } else {
          sides.activateById(PANEL);
        }
      }
    });
    palette?.addItem({ command: 'jupyter-history:toggle-panel', category: CATEGORY });
    chats.changed.connect(() => registry.notifyCommandChanged());
  }
};
