/** Plugin: Markdown in the body of `%%chat` cells, and their magic line set apart. */

import { Compartment, EditorState, type Extension, Prec, RangeSetBuilder, type Text } from '@codemirror/state';
import { Decoration, type DecorationSet, type EditorView, ViewPlugin, type ViewUpdate } from '@codemirror/view';
import type { JupyterFrontEnd, JupyterFrontEndPlugin } from '@jupyterlab/application';
import type { ICellModel } from '@jupyterlab/cells';
import { EditorExtensionRegistry, IEditorExtensionRegistry, IEditorLanguageRegistry } from '@jupyterlab/codemirror';
import { magicLine } from '../core/chatcell';

/** JupyterLab's own Markdown with math, taken from its registry: ours would weigh 460 kB. */
const MARKDOWN = 'text/x-ipythongfm';
const MAGIC = Decoration.line({ class: 'jh-magic' });

const magicOf = (doc: Text): number => magicLine(doc.lines, number => doc.line(number).text);

const magicLineStyle = ViewPlugin.fromClass(
  class {
    decorations: DecorationSet;

    constructor(view: EditorView) {
      this.decorations = this.#decorate(view);
    }

    update(update: ViewUpdate): void {
      if (update.docChanged) {
        this.decorations = this.#decorate(update.view);
      }
    }

    #decorate({ state: { doc } }: EditorView): DecorationSet {
      const builder = new RangeSetBuilder<Decoration>();
      const number = magicOf(doc);
      if (number > 0) {
        builder.add(doc.line(number).from, doc.line(number).from, MAGIC);
      }
      return builder.finish();
    }
  },
  { decorations: plugin => plugin.decorations }
);

/** An editor's language follows its first line; it is switched only when the cell becomes a chat cell or stops being one. */
function markdownInChat(support: Promise<Extension>): Extension {
  const compartment = new Compartment();
  let markdown: Extension = [];
  const languageFor = (chat: boolean): Extension => (chat ? Prec.highest(markdown) : []);
  const follow = EditorState.transactionExtender.of(transaction => {
    const chat = magicOf(transaction.newDoc) > 0;
    if (!transaction.docChanged || chat === magicOf(transaction.startState.doc) > 0) {
      return null;
    }
    return { effects: compartment.reconfigure(languageFor(chat)) };
  });
  const load = ViewPlugin.define(view => {
    let gone = false;
    void support.then(extension => {
      markdown = extension;
      if (!gone && magicOf(view.state.doc) > 0) {
        view.dispatch({ effects: compartment.reconfigure(languageFor(true)) });
      }
    });
    return {
      destroy: () => {
        gone = true;
      }
    };
  });
  return [compartment.of([]), follow, load];
}

export const prompts: JupyterFrontEndPlugin<void> = {
  id: 'jupyter-history:prompts',
  description: 'Markdown highlighting in %%chat cells.',
  autoStart: true,
  requires: [IEditorExtensionRegistry, IEditorLanguageRegistry],
  activate: (_app: JupyterFrontEnd, extensions: IEditorExtensionRegistry, languages: IEditorLanguageRegistry) => {
    let support: Promise<Extension> | null = null;
    extensions.addExtension({
      name: 'jupyter-history:prompts',
      factory: ({ model }) => {
        if ((model as Partial<ICellModel>).type !== 'code') {
          return null;
        }
        support ??= languages.getLanguage(MARKDOWN).then(language => language?.support ?? []);
        return EditorExtensionRegistry.createImmutableExtension([magicLineStyle, markdownInChat(support)]);
      }
    });
  }
};
