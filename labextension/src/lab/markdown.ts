/** JupyterLab's own Markdown (sanitised: what a model wrote is never trusted, rule 21), drawn off the page. */

import type { IRenderMimeRegistry } from '@jupyterlab/rendermime';

const MARKDOWN = 'text/markdown';

export async function renderMarkdown(rendermime: IRenderMimeRegistry, markdown: string): Promise<DocumentFragment> {
  const renderer = rendermime.createRenderer(MARKDOWN);
  const model = rendermime.createModel({ data: { [MARKDOWN]: markdown }, trusted: false });
  await renderer.renderModel(model);
  const page = document.createDocumentFragment();
  page.append(...renderer.node.childNodes);
  renderer.dispose();
  return page;
}
