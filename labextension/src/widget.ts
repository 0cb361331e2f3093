/** The explorers as a widget, for front ends without our JupyterLab extension. */

import type { Render } from '@anywidget/types';
import DOMPurify from 'dompurify';
import { marked } from 'marked';
import { Calls } from './core/calls';
import { readView } from './core/view';
import { mountExplorer } from './views/explorer';

interface Model {
  /** A view: topology and numbers, never a text of a model's. */
  state: Record<string, unknown>;
}

/** What a model wrote, as harmless HTML: no script, no style, nothing that is loaded from elsewhere (rule 21). */
export function harmless(markdown: string): DocumentFragment {
  return DOMPurify.sanitize(marked.parse(markdown, { async: false }), {
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'img', 'video', 'audio', 'source', 'iframe', 'svg', 'math'],
    FORBID_ATTR: ['style', 'class', 'id', 'name'],
    RETURN_DOM_FRAGMENT: true
  });
}

const render: Render<Model> = ({ model, el }) => {
  const calls = new Calls(message => model.send(message));
  const listeners = new Set<() => void>();
  const tell = (): void => {
    for (const listener of listeners) {
      listener();
    }
  };
  const hear = (message: unknown): void => {
    if (!calls.receive(message)) {
      tell();
    }
  };
  model.on('msg:custom', hear);
  let live = false;
  const mounted = mountExplorer(el, {
    get: () => ({ state: readView(model.get('state')), live, html: '' }),
    on: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    call: (name, args) => calls.call(name, args),
    markdown: async markdown => harmless(markdown),
    copy: said => navigator.clipboard.writeText(said)
  });
  model.on('change:state', tell);
  // a widget that is only a saved state has nobody who answers
  calls.call('hello').then(
    () => {
      live = true;
      tell();
    },
    () => undefined
  );
  return () => {
    model.off('msg:custom', hear);
    model.off('change:state', tell);
    calls.end('the view was closed');
    mounted.dispose();
  };
};

export default { render };
