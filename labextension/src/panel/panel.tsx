/** The side panel: the conversation of the notebook in front, its window, tree and labels, and all conversations. */

import { type ComponentChildren, render } from 'preact';
import { useCallback, useEffect, useRef, useState } from 'preact/hooks';
import { record, text } from '../core/reading';
import { readView } from '../core/view';
import { mountExplorer } from '../views/explorer';
import { Button, Coded, dollars, plural } from '../views/parts';
import { STYLE } from '../views/style';
import { Conversations } from './conversations';
import type { Desk, Standing } from './desk';
import { WindowGauge } from './gauge';
import { type Gauge, type Overview, readGauge, readOverview } from './known';
import { PANEL_STYLE, TREE_STYLE } from './style';

const IDLE: Record<Exclude<Standing, 'ready'>, string> = {
  none: 'No notebook is open. This panel follows the notebook in front.',
  off: 'No kernel is running. The answers in the notebook can be read; what moves needs a kernel.',
  strange: 'This kernel has not loaded jupyter_history. Run `%load_ext jupyter_history` in a cell.'
};

function Panel({ desk }: { desk: Desk }) {
  const [moves, setMoves] = useState(0);
  const [overview, setOverview] = useState<Overview | null>(null);
  const [gauge, setGauge] = useState<Gauge | null>(null);
  const [line, say] = useState('');
  useEffect(() => desk.on(() => setMoves(count => count + 1)), [desk]);
  useEffect(() => desk.onSaid(say), [desk]);
  const standing = desk.standing();
  const ask = useCallback((name: string, args: Record<string, unknown>) => desk.call(name, args), [desk]);
  useEffect(() => {
    let gone = false;
    const take = (name: string, use: (result: unknown) => void): void => {
      desk.call(name).then(
        result => !gone && use(result),
        () => undefined // while an answer is written the last figures stay
      );
    };
    if (standing === 'ready') {
      take('panel', result => setOverview(readOverview(result)));
      take('gauge', result => setGauge(readGauge(result)));
    } else {
      setOverview(null);
      setGauge(null);
    }
    return () => {
      gone = true;
    };
  }, [desk, standing, moves]);
  const act = useCallback(
    (name: string, args: Record<string, unknown>): void => {
      say('');
      desk.call(name, args).then(
        result => {
          say(text(record(result).note));
          setMoves(count => count + 1);
        },
        (error: unknown) => say(error instanceof Error ? error.message : String(error))
      );
    },
    [desk]
  );
  const go = (turn: string): void => {
    if (!desk.reveal(turn)) {
      say('No cell of this notebook shows that turn.');
    }
  };
  if (standing !== 'ready') {
    return (
      <section class="panel" aria-label="Chat">
        <h2>{desk.notebook() || 'Chat'}</h2>
        <p class="quiet idle">
          <Coded line={IDLE[standing]} />
        </p>
      </section>
    );
  }
  return (
    <section class="panel" aria-label="Chat">
      <header>
        <h2 title={overview?.name}>{overview ? called(overview) : 'No conversation yet'}</h2>
        <p class="quiet">
          {overview
            ? `${plural(overview.turns, 'turn')} on ${plural(overview.branches, 'branch', 'branches')} · ${dollars(overview.cost)} · ${overview.model}`
            : 'It begins with the first %%chat cell.'}
        </p>
        <div class="bar">
          <Button label="Begin a new conversation in this notebook" onPress={() => desk.run('jupyter-history:new')}>
            new
          </Button>
          <Button
            label="Continue from another turn"
            disabled={!overview}
            onPress={() => desk.run('jupyter-history:continue-from')}
          >
            continue…
          </Button>
          <Button
            label="Go on in a copy of this conversation"
            disabled={!overview}
            onPress={() => desk.run('jupyter-history:fork')}
          >
            fork…
          </Button>
        </div>
        <p class="status" role="status">
          <Coded line={line} />
        </p>
        {desk.caution() && <p class="caution">{desk.caution()}</p>}
      </header>
      {gauge && (
        <Part title="Window" name="window">
          <WindowGauge gauge={gauge} />
        </Part>
      )}
      {overview && overview.turns > 0 && (
        <Part title="Tree" name="tree">
          <TreePart key={overview.conversation} desk={desk} conversation={overview.conversation} />
        </Part>
      )}
      {overview && overview.labels.length > 0 && (
        <Part title="Labels" name="labels">
          <ul class="items" aria-label="Labels">
            {overview.labels.map(label => (
              <li key={label.name} class={label.onPath ? 'item here' : 'item'}>
                <button type="button" class="plain called" title="Show its cell" onClick={() => go(label.turn)}>
                  {label.name}
                </button>
                <span class="quiet said">{label.title}</span>
                <span class="more">
                  <Button
                    kind="small"
                    label={`Continue from ${label.name}`}
                    onPress={() => act('branch', { turn: label.turn })}
                  >
                    continue here
                  </Button>
                </span>
              </li>
            ))}
          </ul>
        </Part>
      )}
      <Part title="Conversations" name="conversations">
        <Conversations moves={moves} ask={ask} act={act} />
      </Part>
    </section>
  );
}

/** A conversation that nobody named is called by how it began. */
const called = ({ conversation, name, title }: Overview): string => (name === conversation && title) || name;

/** A part that folds. */
function Part({ title, name, children }: { title: string; name: string; children: ComponentChildren }) {
  return (
    <details class={`part ${name}`} open>
      <summary>{title}</summary>
      {children}
    </details>
  );
}

/** The tree explorer of the open conversation. */
function TreePart({ desk, conversation }: { desk: Desk; conversation: string }) {
  const place = useRef<HTMLDivElement>(null);
  useEffect(() => {
    let gone = false;
    let end = (): void => undefined;
    desk.call('explore', { conversation, ask: 'view', args: { view: 'tree', args: {} } }).then(
      result => {
        const state = readView(result);
        if (!gone && state && place.current) {
          end = mountExplorer(place.current, desk.stage(state)).dispose;
          const narrow = document.createElement('style');
          narrow.textContent = TREE_STYLE;
          place.current.lastElementChild?.shadowRoot?.append(narrow);
        }
      },
      () => undefined
    );
    return () => {
      gone = true;
      end();
    };
  }, [desk, conversation]);
  return <div class="tree-place" ref={place} />;
}

/** Mount the panel into any element; gives a function that takes it away. */
export function mountPanel(element: HTMLElement, desk: Desk): () => void {
  const root = element.attachShadow({ mode: 'open' });
  const style = document.createElement('style');
  style.textContent = STYLE + PANEL_STYLE;
  const body = document.createElement('div');
  root.append(style, body);
  render(<Panel desk={desk} />, body);
  return () => render(null, body);
}
