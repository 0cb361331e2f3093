import type { AnyModel } from '@anywidget/types';
import { expect, it } from 'vitest';
import widget from '../src/widget';
import { answer, bundle } from './answers';

it('the widget shows an answer, follows it, and goes', async () => {
  let data = bundle(answer('a1', { streaming: true }, 'hal'));
  const listeners = new Set<() => void>();
  const model = {
    get: () => data,
    on: (_event: string, listener: () => void) => listeners.add(listener),
    off: (_event: string, listener: () => void) => listeners.delete(listener)
  } as unknown as AnyModel<{ data: Record<string, unknown> }>;
  const el = document.createElement('div');
  const gone = await widget.render({ model, el } as unknown as Parameters<typeof widget.render>[0]);
  await new Promise(resolve => setTimeout(resolve));
  expect(el.querySelector('.jh-body')?.textContent).toBe('hal');
  data = bundle(answer('a1', {}, 'half'));
  for (const listener of listeners) {
    listener();
  }
  await new Promise(resolve => setTimeout(resolve));
  expect(el.querySelector('.jh-body')?.textContent).toBe('half');
  (gone as () => void)();
  expect([el.childNodes.length, listeners.size]).toEqual([0, 0]);
});
