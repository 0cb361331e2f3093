import { beforeEach, describe, expect, it } from 'vitest';
import type { Answer } from '../src/core/turn';
import { type AnswerView, mount } from '../src/views/answer';
import { make } from '../src/views/dom';
import { answer, bundle, path } from './answers';

/** A kernel of two stored answers, as far as a view can tell. */
class Kernel {
  readonly asked: string[] = [];
  readonly kept: unknown[] = [];
  copied = '';
  /** The turns that cells of the notebook show. */
  shown: string[] = [];
  stored: Record<string, Answer> = {};
  fails = '';

  async call(name: string, { turn }: Record<string, string>): Promise<unknown> {
    this.asked.push(`${name} ${turn}`);
    if (this.fails) {
      throw new Error(this.fails);
    }
    if (name === 'siblings') {
      return { ids: Object.keys(this.stored), onPath: null };
    }
    return name === 'answer'
      ? { data: bundle(this.stored[turn ?? ''] as Answer) }
      : { path: [turn], tip: turn, note: 'left a2' };
  }
}

let kernel: Kernel;
let element: HTMLElement;
let view: AnswerView;
const settled = () => new Promise(resolve => setTimeout(resolve));
const find = <T extends HTMLElement>(selector: string) => element.querySelector<T>(selector) as T;
const press = async (label: string) => {
  find(`button[aria-label="${label}"]`).click();
  await settled();
};
const body = () => find('.jh-body').textContent;

beforeEach(() => {
  kernel = new Kernel();
  element = make('div');
  document.body.replaceChildren(element);
  view = mount(element, {
    render: async markdown => make('div', {}, ...markdown.split('\n\n').map(block => make('p', {}, block))),
    settle: () => {},
    call: (name, args) => kernel.call(name, args),
    keep: data => kernel.kept.push(data),
    copy: async text => {
      kernel.copied = text;
    },
    reveal: turn => kernel.shown.includes(turn),
    again: async turn => {
      kernel.asked.push(`again ${turn}`);
    }
  });
});

describe('an answer that streams in', () => {
  it('keeps the blocks that did not change', async () => {
    view.follow(null, true);
    await view.show(answer('a1', { streaming: true }, 'one\n\ntw'));
    const first = find('.jh-body').firstChild;
    await view.show(answer('a1', { streaming: true }, 'one\n\ntwo\n\nthree'));
    expect(find('.jh-body').firstChild).toBe(first);
    expect(body()).toBe('onetwothree');
    expect(find('.jh-answer').getAttribute('aria-busy')).toBe('true');
  });

  it('that nobody writes any more says so', async () => {
    await view.show(answer('a1', { streaming: true }, 'one\n\ntw'));
    view.follow(null, false);
    expect(find('.jh-answer').getAttribute('aria-busy')).toBe('false');
    expect(find('.jh-mark').textContent).toContain('cut off here');
  });

  it('leaves thinking folded or open as the reader left it', async () => {
    await view.show(answer('a1', { streaming: true, thinking: 'hm' }));
    const thinking = find<HTMLDetailsElement>('details');
    expect(thinking.open).toBe(false);
    thinking.open = true;
    await view.show(answer('a1', { thinking: 'hm, yes' }));
    expect(find<HTMLDetailsElement>('details')).toBe(thinking);
    expect(thinking.open).toBe(true);
    expect(thinking.textContent).toContain('hm, yes');
  });

  it('that a reloaded page holds by half is made whole from the store', async () => {
    kernel.stored = { a1: answer('a1', {}, 'whole') };
    await view.show(answer('a1', { streaming: true }, 'wh'));
    view.follow(path('a1'), false);
    await settled();
    expect(kernel.asked).toEqual(['answer a1']);
    expect(kernel.kept).toEqual([bundle(answer('a1', {}, 'whole'))]);
  });
});

describe('walking', () => {
  beforeEach(async () => {
    kernel.stored = { a1: answer('a1', { question: 'how?' }), a2: answer('a2') };
    await view.show(answer('a2', { siblings: ['a1', 'a2'] }));
    view.follow(path('a2', 'b1'), false);
  });

  it('looks at the other answer and moves nothing', async () => {
    await press('Earlier answer');
    expect(kernel.asked).toEqual(['answer a1']);
    expect(body()).toBe('text of a1');
    expect(find('.jh-position').textContent).toBe('1 of 2');
    expect(find('.jh-prompt').textContent).toBe('how?');
    expect(find('.jh-footer').textContent).toBe('footer of a1');
    await press('Later answer');
    expect(body()).toBe('text of a2');
    expect(find('.jh-prompt').hidden).toBe(true);
  });

  it('works with the arrow keys', async () => {
    const key = new KeyboardEvent('keydown', { key: 'ArrowLeft', bubbles: true, cancelable: true });
    find('.jh-siblings').dispatchEvent(key);
    await settled();
    expect(body()).toBe('text of a1');
  });

  it('continues from the answer that is looked at when told to', async () => {
    await press('Earlier answer');
    await press('continue here');
    expect(kernel.asked).toEqual(['answer a1', 'continue a1']);
    expect(find('.jh-status').textContent).toBe('left a2');
    view.follow(path('a1'), false);
    expect(find('.jh-answer').classList.contains('jh-off')).toBe(false);
  });

  it('says what the kernel refused, and can go on', async () => {
    kernel.fails = 'no turn a1';
    await press('Earlier answer');
    expect(find('.jh-status').textContent).toBe('no turn a1');
    expect(body()).toBe('text of a2');
    kernel.fails = '';
    await press('Earlier answer');
    expect(body()).toBe('text of a1');
  });

  it('is not possible without a kernel', async () => {
    view.follow(null, false);
    await press('Earlier answer');
    expect(kernel.asked).toEqual([]);
    expect(find('.jh-position').textContent).toBe('2 of 2');
    expect(find('button[aria-label="Earlier answer"]').title).toContain('needs a running kernel');
  });
});

describe('an answer that was left', () => {
  it('is marked in words and comes back with one click', async () => {
    await view.show(answer('a1'));
    view.follow(path('a2'), false);
    expect(find('.jh-mark').textContent).toContain('not on the path');
    await press('make it the path again');
    expect(kernel.asked).toContain('continue a1');
    view.follow(path('a1'), false);
    expect(find('.jh-mark').hidden).toBe(true);
  });

  it('is not taken for one before the news of its place can have come', async () => {
    view.follow(path('a0'), false);
    await view.show(answer('a1', { streaming: true }));
    await view.show(answer('a1'));
    expect(find('.jh-mark').hidden).toBe(true);
    view.follow(path('a0', 'a1'), false);
    expect(find('.jh-mark').hidden).toBe(true);
    view.follow(path('a0', 'a2'), false);
    expect(find('.jh-mark').hidden).toBe(false);
  });

  it('learns of the sibling that took its place', async () => {
    kernel.stored = { a1: answer('a1'), a2: answer('a2') };
    await view.show(answer('a1'));
    view.follow(path('a2'), false);
    await settled();
    expect(find('.jh-position').textContent).toBe('1 of 2');
  });
});

describe('the parent', () => {
  const UP = 'Show the answer that this one continues from';

  beforeEach(async () => {
    kernel.stored = { p1: answer('p1', { question: 'how?' }), a1: answer('a1') };
    view.follow(path('p1', 'a1'), false);
    await view.show(answer('a1', { parent: 'p1' }));
  });

  it('is shown in its cell, without a kernel too', async () => {
    kernel.shown = ['p1'];
    view.follow(null, false);
    await press(UP);
    expect(kernel.asked).toEqual([]);
    expect(find('.jh-parent').hidden).toBe(true);
  });

  it('is shown here where no cell has it, and goes again', async () => {
    await press(UP);
    expect(find('.jh-parent').textContent).toBe('how?text of p1footer of p1');
    await press(UP);
    expect(find('.jh-parent').hidden).toBe(true);
  });

  it('that nobody can show is told in one line', async () => {
    view.follow(null, false);
    await press(UP);
    expect(find('.jh-status').textContent).toContain('no kernel runs');
  });
});

it('another answer is asked for in the cell, and a refusal is told', async () => {
  view.follow(path('a1'), false);
  await view.show(answer('a1'));
  await press('another answer');
  expect(kernel.asked).toContain('again a1');
});

it('what a model wrote as thinking, prompt, footer or note is text, never markup', async () => {
  const evil = '<img src=x onerror=alert(1)>';
  await view.show(answer('a1', { thinking: evil, footer: evil, notes: [evil], model: evil }));
  expect(element.querySelector('img')).toBeNull();
  expect(find('.jh-footer').textContent).toBe(evil);
});

it('the answer is copied without its footer', async () => {
  await view.show(answer('a1', {}, '**bold**'));
  await press('Copy the answer as Markdown');
  expect(kernel.copied).toBe('**bold**');
});

it('a view that is gone leaves nothing', async () => {
  await view.show(answer('a1'));
  view.dispose();
  expect(element.childNodes.length).toBe(0);
});
