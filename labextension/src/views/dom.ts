/** Elements in one expression. */

type Attributes = Record<string, string | boolean>;

export function make<K extends keyof HTMLElementTagNameMap>(
  tag: K,
  attributes: Attributes = {},
  ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    element.toggleAttribute(name, value !== false);
    if (typeof value === 'string') {
      element.setAttribute(name, value);
    }
  }
  element.append(...children);
  return element;
}

/**
 * A button that shows `sign` and is called `label`. It may be `aria-disabled`, which does nothing but keeps the focus
 * where it is. Its keys stay its own: JupyterLab would take Enter for "edit the cell".
 */
export function button(kind: string, label: string, sign: string, press: () => void): HTMLButtonElement {
  const attributes = { type: 'button', class: kind, 'data-lm-suppress-shortcuts': 'true' };
  const element = make('button', attributes, sign);
  name(element, label);
  element.addEventListener('click', () => {
    if (element.getAttribute('aria-disabled') !== 'true') {
      press();
    }
  });
  return element;
}

/** Name an element for those who hear it and, unless `hint` says more, those who hover over it. */
export function name(element: HTMLElement, label: string, hint = label): void {
  element.setAttribute('aria-label', label);
  element.title = hint;
}

/** Change text only where it differs: nothing is announced twice, nothing is laid out for nothing. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
