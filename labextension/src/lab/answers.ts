/** Plugin: answers and explorers in notebooks, each with its line to the kernel. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker } from '@jupyterlab/notebook';
import { TURN_MIME } from '../core/turn';
import { VIEW_MIME } from '../core/view';
import { type Chat, Chats, IChats } from './chats';
import { VIEW_RANK, ViewRenderer } from './explorers';
import { AnswerRenderer } from './renderer';

/** Before Markdown (60) and HTML (50). */
const RANK = 40;

function serve({ panel, link, book }: Chat): void {
  const { rendermime } = panel.content;
  rendermime.addFactory(
    { safe: true, mimeTypes: [TURN_MIME], createRenderer: () => new AnswerRenderer(rendermime, link, book) },
    RANK
  );
  rendermime.addFactory(
    { safe: true, mimeTypes: [VIEW_MIME], createRenderer: () => new ViewRenderer(rendermime, link, book) },
    VIEW_RANK
  );
}

export const answers: JupyterFrontEndPlugin<IChats> = {
  id: 'jupyter-history:answers',
  description: 'Shows the answers of %%chat cells, the answers beside them, and what is no longer on the path.',
  autoStart: true,
  requires: [INotebookTracker],
  provides: IChats,
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker) => new Chats(tracker, serve)
};
