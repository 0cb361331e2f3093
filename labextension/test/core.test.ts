import { describe, expect, it } from 'vitest';
import { Calls } from '../src/core/calls';
import { magicLine } from '../src/core/chatcell';
import { face, type State } from '../src/core/face';
import { astray } from '../src/core/order';
import { hasNewSibling, readPath, standing } from '../src/core/path';
import { readAnswer, TURN_MIME } from '../src/core/turn';
import { answer, bundle, path } from './answers';

describe('an output', () => {
  it('is read as the kernel wrote it, without the footer line', () => {
    const written = answer('a1', { siblings: ['a1', 'a2'], thinking: 'hm', notes: ['n'], label: 'first' }, 'Hello 😀');
    expect(readAnswer(bundle(written))).toEqual(written);
  });

  it('may hold its Markdown as lines, as files do', () => {
    const data = { 'text/markdown': ['one\n', 'two\n', '\nfooter'], [TURN_MIME]: { id: 'a1', body: 7 } };
    expect(readAnswer(data)?.markdown).toBe('one\ntwo');
  });

  it.each([[null], [{}], [{ [TURN_MIME]: null }], [{ [TURN_MIME]: 'text' }], [{ [TURN_MIME]: { id: 7 } }]])(
    'that is no answer (%j) gives nothing',
    data => expect(readAnswer(data)).toBeNull()
  );

  it('with fields of wrong types is read without them', () => {
    const data = {
      'text/markdown': 'x',
      [TURN_MIME]: { id: 'a1', siblings: [1, 'a1'], notes: 'no', footer: {}, body: '9' }
    };
    expect(readAnswer(data)).toMatchObject({ markdown: 'x', turn: { siblings: ['a1'], notes: [], footer: '' } });
  });
});

describe('a turn and the path', () => {
  it('stands on it, off it, elsewhere, or nobody knows', () => {
    expect(standing(answer('a1', { outcome: 'failed' }).turn, path('a2'))).toBe('unknown');
    expect(standing(answer('a1').turn, path('a1', 'b1'))).toBe('on');
    expect(standing(answer('a2').turn, path('a1', 'b1'))).toBe('off');
    expect(standing(answer('a1', { conversation: 'other' }).turn, path('a1'))).toBe('elsewhere');
    expect(standing(answer('a2').turn, null)).toBe('unknown');
    expect(standing(answer('a2', { streaming: true }).turn, path('a1'))).toBe('unknown');
  });

  it('tells of a sibling nobody knew, at the root and below', () => {
    expect(hasNewSibling(answer('a1').turn, ['a1'], path('a2'))).toBe(true);
    expect(hasNewSibling(answer('a1').turn, ['a1', 'a2'], path('a2'))).toBe(false);
    expect(hasNewSibling(answer('b1', { parent: 'a1' }).turn, ['b1'], path('a1', 'b2'))).toBe(true);
    expect(hasNewSibling(answer('b1', { parent: 'a1' }).turn, ['b1'], path('a1'))).toBe(false);
    expect(hasNewSibling(answer('b1', { parent: 'a9' }).turn, ['b1'], path('a1', 'b2'))).toBe(false);
  });

  it('is read from a message that names a conversation, and from nothing else', () => {
    expect(readPath({ conversation: 'talk', path: ['a1'], tip: 'a1' })).toEqual(path('a1'));
    expect(readPath({ path: ['a1'] })).toBeNull();
    expect(readPath(undefined)).toBeNull();
  });
});

describe('the face of an answer', () => {
  const own = answer('a2');
  const state: State = {
    own,
    shown: own,
    ids: ['a1', 'a2', 'a3'],
    path: path('a2'),
    places: [],
    here: -1,
    live: true,
    waiting: false,
    busy: false
  };

  it('says which answer this is and what lies to both sides', () => {
    expect(face(state)).toMatchObject({ position: '2 of 3', previous: 'a1', next: 'a3', mark: '', move: '' });
  });

  it('has an end', () => {
    expect(face({ ...state, shown: answer('a3') }).next).toBeNull();
    expect(face({ ...state, shown: answer('a1') }).previous).toBeNull();
  });

  it('says nothing of siblings where there are none', () => {
    expect(face({ ...state, ids: ['a2'] }).position).toBe('');
  });

  it('walks nowhere without a kernel or while one is asked', () => {
    expect(face({ ...state, live: false, path: null })).toMatchObject({
      position: '2 of 3',
      previous: null,
      next: null
    });
    expect(face({ ...state, waiting: true })).toMatchObject({ previous: null, next: null });
  });

  it('offers the way back where its own answer was left', () => {
    expect(face({ ...state, path: path('a1') })).toMatchObject({
      mark: 'not on the path',
      move: 'make it the path again'
    });
  });

  it('offers to continue from a sibling that is looked at, and names its prompt where it differs', () => {
    const shown = answer('a1', { question: 'how?' });
    expect(face({ ...state, shown })).toMatchObject({ move: 'continue here', prompt: 'how?' });
    expect(face({ ...state, shown: answer('a1') }).prompt).toBe('');
  });

  it('says that an answer is being written, or that it was cut off', () => {
    const half = answer('a2', { streaming: true });
    expect(face({ ...state, own: half, shown: half, busy: true })).toMatchObject({ writing: true, mark: '' });
    expect(face({ ...state, own: half, shown: half }).writing).toBe(false);
    expect(face({ ...state, own: half, shown: half }).mark).toContain('cut off');
  });

  it('offers another answer for its own, finished one, where a kernel of its conversation runs', () => {
    expect(face(state).again).toBe(true);
    expect(face({ ...state, shown: answer('a3') }).again).toBe(false);
    expect(face({ ...state, live: false, path: null }).again).toBe(false);
    const elsewhere = answer('a2', { conversation: 'other' });
    expect(face({ ...state, own: elsewhere, shown: elsewhere }).again).toBe(false);
  });

  it('says that it does not continue from the answer above, unless it was left or is only looked at', () => {
    const places = [answer('p1').turn, null, answer('p2').turn, answer('a2').turn];
    const child = answer('a2', { parent: 'p1' });
    const here = { ...state, own: child, shown: child, places, here: 3 };
    expect(face(here).astray).toBe('not from the answer above');
    expect(face({ ...here, path: null, live: false }).astray).toBe('not from the answer above');
    expect(face({ ...here, path: path('p1') }).astray).toBe('');
    expect(face({ ...here, shown: answer('a3', { parent: 'p1' }) }).astray).toBe('');
  });

  it('offers no move to a turn of another conversation', () => {
    expect(face({ ...state, path: { conversation: 'other', ids: [] } })).toMatchObject({
      mark: 'from another conversation',
      move: ''
    });
  });
});

describe('calls', () => {
  it('find their replies in any order', async () => {
    const sent: { id: string; call: string }[] = [];
    const calls = new Calls(message => sent.push(message));
    const [one, two] = [calls.call('answer', { turn: 'a1' }), calls.call('siblings')];
    expect(sent.map(({ call }) => call)).toEqual(['answer', 'siblings']);
    expect(calls.receive({ id: sent[1]?.id, result: 2 })).toBe(true);
    expect(calls.receive({ id: sent[0]?.id, error: 'no turn a1' })).toBe(true);
    await expect(two).resolves.toBe(2);
    await expect(one).rejects.toThrow('no turn a1');
  });

  it('leave what is no reply to others', () => {
    expect(new Calls(() => {}).receive({ event: 'moved' })).toBe(false);
  });

  it('end with the connection, and when a message cannot be sent', async () => {
    const calls = new Calls(() => {});
    const asked = calls.call('hello');
    calls.end('the kernel went away');
    await expect(asked).rejects.toThrow('went away');
    const deaf = new Calls(() => {
      throw new Error('Cannot send');
    });
    await expect(deaf.call('hello')).rejects.toThrow('Cannot send');
  });
});

describe('a chat cell', () => {
  const at = (...lines: string[]) => magicLine(lines.length, number => lines[number - 1] ?? '');

  it('begins with its magic, blank lines before it aside', () => {
    expect(at('%%chat', 'why?')).toBe(1);
    expect(at('', '  ', '%%chat -m offline', 'why?')).toBe(3);
  });

  it('is nothing else', () => {
    expect(at('%%chatter', 'why?')).toBe(0);
    expect(at('%chat tree')).toBe(0);
    expect(at('x = 1', '%%chat')).toBe(0);
    expect(at('')).toBe(0);
  });
});

describe('the order of cells and the order of the tree', () => {
  const [root, other] = [answer('r').turn, answer('x', { conversation: 'other' }).turn];
  const child = answer('c', { parent: 'r' }).turn;

  it('agree where the answer above is the parent, other conversations and other cells aside', () => {
    expect(astray(child, [root, other, null, child], 3)).toBe('');
    expect(astray(child, [child], 0)).toBe('');
    expect(astray(child, [null, other, child], 2)).toBe('');
    const beside = { ...root, id: 's', siblings: [root.id, 's'] };
    expect(astray(child, [beside, child], 1)).toBe('');
  });

  it('part where it is not, and where a conversation begins anew', () => {
    expect(astray(child, [root, answer('d', { parent: 'r' }).turn, child], 2)).toBe('not from the answer above');
    expect(astray(root, [child, root], 1)).toBe('begins anew, not from the answer above');
  });

  it('are not compared while an answer is written, or where nobody knows its cell', () => {
    expect(astray({ ...root, streaming: true }, [child, root], 1)).toBe('');
    expect(astray(root, [child, root], -1)).toBe('');
  });
});
