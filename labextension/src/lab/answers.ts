/** Plugin: answers in notebooks, with their siblings and the path. */

import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import { INotebookTracker, NotebookActions, type NotebookPanel } from '@jupyterlab/notebook';
import { TURN_MIME } from '../core/turn';
import { VIEW_MIME } from '../core/view';
import { VIEW_RANK, ViewRenderer } from './explorers';
import { Link } from './link';
import { AnswerRenderer } from './renderer';

/** Before Markdown (60) and HTML (50). */
const RANK = 40;
/** What a cell that loads or uses the extension says. */
const OURS = /jupyter_history|%chat/;

function serve(panel: NotebookPanel): Link {
  const link = new Link(panel.sessionContext);
  const { rendermime } = panel.content;
  rendermime.addFactory(
    { safe: true, mimeTypes: [TURN_MIME], createRenderer: () => new AnswerRenderer(rendermime, link) },
    RANK
  );
  rendermime.addFactory(
    { safe: true, mimeTypes: [VIEW_MIME], createRenderer: () => new ViewRenderer(rendermime, link) },
    VIEW_RANK
  );
  return link;
}

export const answers: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-history:answers',
  description: 'Shows the answers of %%chat cells, the answers beside them, and what is no longer on the path.',
  autoStart: true,
  requires: [INotebookTracker],
  activate: (_app: JupyterFrontEnd, tracker: INotebookTracker) => {
    const links = new Map<NotebookPanel['content'], Link>();
    const add = (panel: NotebookPanel): void => {
      const link = serve(panel);
      links.set(panel.content, link);
      panel.disposed.connect(() => {
        links.delete(panel.content);
        link.dispose();
      });
    };
    tracker.forEach(add);
    tracker.widgetAdded.connect((_tracker, panel) => add(panel));
    // the extension may have been loaded by the cell that just ran, under answers that were here before
    NotebookActions.executed.connect((_actions, { notebook, cell }) => {
      if (OURS.test(cell.model.sharedModel.getSource())) {
        links.get(notebook)?.retry();
      }
    });
  }
};
