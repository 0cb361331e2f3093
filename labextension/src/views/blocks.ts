/** Rendered Markdown that is patched, not rebuilt: blocks that did not change keep their node, selection and scroll. */

export class Blocks {
  readonly #element: HTMLElement;
  /** Each block as it was rendered, before math or the user's hand changed what stands in the page. */
  #sources: Node[] = [];

  constructor(element: HTMLElement) {
    this.#element = element;
  }

  /** Show the children of `fresh`; gives the elements that are new in the page. */
  show(fresh: Node): Element[] {
    const wanted = [...fresh.childNodes];
    const sources = wanted.map(node => node.cloneNode(true));
    const same = (index: number): boolean => this.#sources[index]?.isEqualNode(sources[index] ?? null) ?? false;
    const added: Element[] = [];
    wanted.forEach((node, index) => {
      const standing = this.#element.childNodes[index];
      if (standing && same(index)) {
        return;
      }
      if (standing) {
        standing.replaceWith(node);
      } else {
        this.#element.append(node);
      }
      if (node instanceof Element) {
        added.push(node);
      }
    });
    while (this.#element.childNodes.length > wanted.length) {
      this.#element.lastChild?.remove();
    }
    this.#sources = sources;
    return added;
  }
}
