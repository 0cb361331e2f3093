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

/** A button whose keys stay its own: JupyterLab would take Enter for "edit the cell". */
export function button(label: string, sign: string, press: () => void): HTMLButtonElement {
  const element = make(
    'button',
    { type: 'button', 'aria-label': label, title: label, 'data-lm-suppress-shortcuts': 'true' },
    sign
  );
  element.addEventListener('click', () => {
    if (element.getAttribute('aria-disabled') !== 'true') {
      press();
    }
  });
  return element;
}

/** Change text only where it differs: nothing is announced twice, nothing is laid out for nothing. */
export function write(element: Element, text: string): void {
  if (element.textContent !== text) {
    element.textContent = text;
  }
}
