/** JupyterLab's own Markdown (sanitised: what a model wrote is never trusted, rule 21), drawn off the page. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

const MARKDOWN = 'text/markdown';
const FORMULA = /\$|\\[([]|\\begin\{/;
/** Where MathJax puts the styles of its formulas. */
const STYLES = 'MJX-CHTML-styles';

export async function renderMarkdown(rendermime: IRenderMimeRegistry, markdown: string): Promise<DocumentFragment> {
  const renderer = rendermime.createRenderer(MARKDOWN);
  const model = rendermime.createModel({ data: { [MARKDOWN]: markdown }, trusted: false });
  await renderer.renderModel(model);
  const page = document.createDocumentFragment();
  page.append(...renderer.node.childNodes);
  renderer.dispose();
  return page;
}

/** Typeset the formulas of an element in a shadow root, whose styles MathJax knows only for the page. */
export async function typeset({ latexTypesetter }: IRenderMimeRegistry, element: HTMLElement): Promise<void> {
  if (!latexTypesetter || !FORMULA.test(element.textContent ?? '')) {
    return;
  }
  await latexTypesetter.typeset(element);
  const styles = document.getElementById(STYLES);
  const root = element.getRootNode();
  if (styles instanceof HTMLStyleElement && root instanceof ShadowRoot) {
    adopt(root, styles);
  }
}

/** Rules of the page in a shadow root. MathJax adds one for every sign it meets, to the sheet and not to its text. */
function adopt(root: ShadowRoot, styles: HTMLStyleElement): void {
  const rules = [...(styles.sheet?.cssRules ?? [])];
  let own = root.getElementById(STYLES);
  if (!own) {
    own = document.createElement('style');
    own.id = STYLES;
    root.append(own);
  }
  if (own.dataset.rules !== `${rules.length}`) {
    own.dataset.rules = `${rules.length}`;
    own.textContent = rules.map(rule => rule.cssText).join('\n');
  }
}
