/** The tree of a conversation: a list with lines, or nodes with links, and the turn that is looked at beside it. */

import type { TargetedKeyboardEvent } from 'preact';
import { useEffect, useMemo, useRef, useState } from 'preact/hooks';
import { LEGEND } from '../core/marks';
import { record, text } from '../core/reading';
import { foldedAtFirst, jump, matching, outline, type Row, sizes } from '../core/rows';
import { answers, leaves, readTree, type Topology } from '../core/topology';
import type { ViewState } from '../core/view';
import { Detail } from './detail';
import { Button, dollars, plural, type Shared } from './parts';
import { useSearch } from './tree-found';
import { Branches } from './tree-list';
import { Nodes } from './tree-nodes';

/** Trees of more turns than this show the branches off the path folded. */
const LARGE = 200;
const MOST_COMPARED = 6;
const KEYS = [
  ['↑ ↓', 'walk the turns'],
  ['← →', 'fold and unfold, or to the parent'],
  ['[ ]', 'to the branch point before, after'],
  ['Enter', 'continue from here'],
  ['Space, c', 'choose, compare'],
  ['f, h', 'favourite, hide'],
  ['/', 'filter']
] as const;

export interface ViewProps {
  state: ViewState;
  html: string;
  moves: number;
  shared: Shared;
}

/** The tree as the kernel last told it: from the state, then what is new after each move. */
function useTopology({ state, moves, shared }: ViewProps): [Topology, () => void] {
  const [tree, setTree] = useState(() => readTree(state.data));
  const [wanted, setWanted] = useState(0);
  const latest = useRef(tree);
  latest.current = tree;
  const { stage, live } = shared;
  useEffect(() => {
    let gone = false;
    if (live) {
      stage.call('news', { after: latest.current.last }).then(
        news => !gone && setTree(readTree(record(news), latest.current)),
        () => undefined
      );
    }
    return () => {
      gone = true;
    };
  }, [stage, live, moves, wanted]);
  return [tree, () => setWanted(count => count + 1)];
}

const toggled = (set: ReadonlySet<string>, id: string): Set<string> => {
  const next = new Set(set);
  if (!next.delete(id)) {
    next.add(id);
  }
  return next;
};

export function Tree(props: ViewProps) {
  const { shared } = props;
  const [tree, refresh] = useTopology(props);
  const [filter, setFilter] = useState('');
  const [map, setMap] = useState(false);
  const [showHidden, setShowHidden] = useState(false);
  const [collapsed, setCollapsed] = useState<ReadonlySet<string>>(() => foldedAtFirst(tree, LARGE));
  const [chosen, setChosen] = useState<ReadonlySet<string>>(new Set());
  const [at, setAt] = useState<string | null>(tree.tip);
  const [peek, setPeek] = useState<string | null>(null);
  const { said, line } = useSearch(filter, shared);
  const following = useFollow(tree.tip, setAt);
  const search = useRef<HTMLInputElement>(null);
  const size = useMemo(() => sizes(tree), [tree]);
  const rows = useMemo(
    () => (filter.trim() ? matching(tree, filter, said) : outline(tree, { collapsed, hidden: showHidden }, size)),
    [tree, filter, said, collapsed, showHidden, size]
  );
  const index = Math.max(
    0,
    useMemo(() => rows.findIndex(row => row.turn.id === at), [rows, at])
  );
  const row = rows[index];
  const numbers = useMemo(() => {
    let cost = 0;
    for (const turn of tree.turns.values()) {
      cost += turn.cost ?? 0;
    }
    return `${plural(tree.turns.size, 'turn')} on ${plural(leaves(tree), 'branch', 'branches')}, ${dollars(cost)}`;
  }, [tree]);

  const go = (next: number): void => {
    const found = rows[Math.min(rows.length - 1, Math.max(0, next))];
    if (found) {
      setAt(found.turn.id);
    }
  };
  const fold = (of: Row): void => setCollapsed(toggled(collapsed, of.turn.id));
  const choose = (id: string): void => {
    const next = toggled(chosen, id);
    if (next.size <= MOST_COMPARED) {
      setChosen(next);
    } else {
      shared.say(`Six answers stand side by side at most.`);
    }
  };
  const act = async (name: string, args: Record<string, unknown>): Promise<void> => {
    if (!shared.live) {
      shared.say('This needs a running kernel with the extension loaded.');
      return;
    }
    if (await shared.act(name, args)) {
      refresh();
    }
  };
  /** Ask once more, in a cell: there it streams, and the stop button stops it. Elsewhere a person has to run it. */
  const again = async (turn: string): Promise<void> => {
    const code = text((await shared.act('again', { turn }))?.code);
    const { stage } = shared;
    if (!code) {
      return;
    }
    try {
      if (stage.again) {
        shared.say('asks once more, in a cell; the stop button stops it');
        following.current = true;
        await stage.again(turn, code);
        shared.say('');
        refresh();
      } else {
        const copied = await stage.copy(code).then(
          () => ' (it is copied)',
          () => ''
        );
        shared.say(`run \`${code}\` in a cell${copied}: there it streams, and the stop button stops it`);
      }
    } catch (error) {
      following.current = false;
      shared.say(error instanceof Error ? error.message : String(error));
    }
  };
  const compare = (turns: string[]): void => {
    if (turns.length > 1) {
      shared.open('compare', { turns });
    }
  };

  const key = (event: TargetedKeyboardEvent<HTMLElement>): void => {
    if (!row || event.ctrlKey || event.metaKey || event.altKey) {
      return;
    }
    const { id } = row.turn;
    const keys: Record<string, () => void> = {
      ArrowDown: () => go(index + 1),
      ArrowUp: () => go(index - 1),
      PageDown: () => go(index + 12),
      PageUp: () => go(index - 12),
      Home: () => go(0),
      End: () => go(rows.length - 1),
      '[': () => go(jump(rows, index, -1)),
      ']': () => go(jump(rows, index, 1)),
      ArrowLeft: () => (row.children && !row.folded ? fold(row) : row.turn.parent && setAt(row.turn.parent)),
      ArrowRight: () => (row.folded ? fold(row) : go(index + 1)),
      Enter: () => void act('continue', { turn: id }),
      ' ': () => choose(id),
      c: () => compare(chosen.size > 1 ? [...chosen] : siblings(tree, id)),
      f: () => void act('favourite', { turn: id, on: !tree.favourites.has(id) }),
      h: () => void act('hide', { turn: id, on: !tree.hidden.has(id) }),
      '/': () => search.current?.focus()
    };
    const run = keys[event.key];
    if (run) {
      event.preventDefault();
      event.stopPropagation();
      run();
    }
  };

  const list = { tree, rows, index, chosen, look: setAt, peek: setPeek, fold, choose, onKeyDown: key };
  const shown = tree.turns.get(peek ?? '') ?? row?.turn;
  return (
    <>
      <header class="bar">
        <strong class="name">{props.state.name}</strong>
        <span class="quiet grow">{numbers}</span>
        <input
          ref={search}
          type="search"
          placeholder={shared.live ? 'Filter: text, label, model' : 'Filter: title, label, model'}
          aria-label="Filter turns by text, id, label or model"
          value={filter}
          onInput={event => setFilter(event.currentTarget.value)}
          onKeyDown={event => event.stopPropagation()}
        />
        {tree.hidden.size > 0 && (
          <Button label="Show hidden turns" pressed={showHidden} onPress={() => setShowHidden(!showHidden)}>
            {tree.hidden.size} hidden
          </Button>
        )}
        <span class="switch" role="group" aria-label="How the tree is drawn">
          <Button label="As a list" pressed={!map} onPress={() => setMap(false)}>
            List
          </Button>
          <Button label="As nodes with links" pressed={map} onPress={() => setMap(true)}>
            Nodes
          </Button>
        </span>
        <Button
          label="Compare the chosen answers (c); choose with the space bar"
          disabled={!shared.live || chosen.size < 2}
          kind="strong"
          onPress={() => compare([...chosen])}
        >
          Compare{chosen.size ? ` ${chosen.size}` : ''}
        </Button>
      </header>
      {filter.trim() && (
        <p class="quiet found" role="status">
          {plural(rows.length, 'turn')} of {tree.turns.size.toLocaleString('en')}
          {line && ` · ${line}`}
        </p>
      )}
      {tree.turns.size === 0 ? (
        <p class="quiet empty">The conversation is empty. Its first turn comes from the next %%chat cell.</p>
      ) : (
        <div class="sides">
          {map ? <Nodes {...list} hidden={showHidden} /> : <Branches {...list} />}
          {shown && (
            <Detail
              key={shown.id}
              turn={shown}
              tree={tree}
              shared={shared}
              act={act}
              again={() => void again(shown.id)}
              compare={() => compare(siblings(tree, shown.id))}
              chosen={chosen.has(shown.id)}
              choose={() => choose(shown.id)}
            />
          )}
        </div>
      )}
      <details class="legend">
        <summary>Marks and keys</summary>
        <dl>
          {LEGEND.map(([sign, meaning]) => (
            <div key={sign}>
              <dt>{sign}</dt>
              <dd>{meaning}</dd>
            </div>
          ))}
          {KEYS.map(([keys, does]) => (
            <div key={keys}>
              <dt>
                <kbd>{keys}</kbd>
              </dt>
              <dd>{does}</dd>
            </div>
          ))}
        </dl>
      </details>
    </>
  );
}

/** What is made next becomes the turn that is looked at, once, where `current` was set. */
function useFollow(tip: string | null, look: (id: string) => void): { current: boolean } {
  const following = useRef(false);
  useEffect(() => {
    if (following.current && tip !== null) {
      following.current = false;
      look(tip);
    }
  }, [tip, look]);
  return following;
}

/** All answers beside a turn, the newest six. */
function siblings(tree: Topology, id: string): string[] {
  const turn = tree.turns.get(id);
  return turn ? answers(tree, turn).slice(-MOST_COMPARED) : [];
}
