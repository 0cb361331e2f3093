/** The explorers as a widget, for front ends without our JupyterLab extension. */

import type { Render } from '@anywidget/types';
import DOMPurify from 'dompurify';
import { Marked } from 'marked';
import { Calls } from './core/calls';
import { Followers } from './core/followers';
import { formula } from './core/formulas';
import { record } from './core/reading';
import { readView, type ViewState } from './core/view';
import { mountExplorer } from './views/explorer';

interface Model {
  /** A view: topology and numbers, never a text of a model's. */
  state: Record<string, unknown>;
}

/** Formulas stay as they were written: nothing here typesets them, and Markdown would take signs away from them. */
const marked = new Marked({
  extensions: [
    {
      name: 'formula',
      level: 'inline',
      start: source => source.search(/\$|\\/),
      tokenizer: source => {
        const raw = formula(source);
        return raw ? { type: 'formula', raw } : undefined;
      },
      renderer: ({ raw }) => raw.replace(/&/g, '&amp;').replace(/</g, '&lt;')
    }
  ]
});

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
  const followers = new Followers(at => {
    calls.call('follow', { at }).catch(() => undefined);
  });
  /** The view with its texts, while the kernel is at a cell and answers nothing; they are never in the state. */
  let sent: ViewState | null = null;
  const hear = (message: unknown): void => {
    if (!calls.receive(message) && !followers.receive(message)) {
      sent = readView(record(message).view) ?? sent;
      tell();
    }
  };
  model.on('msg:custom', hear);
  let live = false;
  const mounted = mountExplorer(el, {
    get: () => ({ state: sent ?? readView(model.get('state')), live, html: '' }),
    on: listener => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    call: (name, args) => calls.call(name, args),
    markdown: async markdown => harmless(markdown),
    follow: (parent, hear) => followers.add([readView(model.get('state'))?.conversation ?? '', parent], hear),
    copy: async said => navigator.clipboard.writeText(said)
  });
  const change = (): void => {
    sent = null;
    tell();
  };
  model.on('change:state', change);
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
    model.off('change:state', change);
    calls.end('the view was closed');
    mounted.dispose();
  };
};

export default { render };
