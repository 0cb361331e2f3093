/** The turn that is looked at: its prompt and answer, fetched when it is shown, and what can be done with it. */

import { useEffect, useState } from 'preact/hooks';
import { record, text } from '../core/reading';
import { place, type Topology, type Turn } from '../core/topology';
import { Ask, Button, dollars, Markdown, type Shared, tokens } from './parts';

interface DetailProps {
  turn: Turn;
  tree: Topology;
  shared: Shared;
  chosen: boolean;
  act(name: string, args: Record<string, unknown>): Promise<void>;
  /** Ask for another answer beside this one. */
  again(): void;
  choose(): void;
  compare(): void;
}

interface Body {
  prompt: string;
  text: string;
}

function useBody(id: string, { stage, live }: Shared): Body | null {
  const [body, setBody] = useState<Body | null>(null);
  useEffect(() => {
    let gone = false;
    if (live) {
      stage.call('body', { turn: id }).then(
        found => {
          const { prompt, text: answer } = record(found);
          if (!gone) {
            setBody({ prompt: text(prompt), text: text(answer) });
          }
        },
        () => undefined
      );
    }
    return () => {
      gone = true;
    };
  }, [id, stage, live]);
  return body;
}

export function Detail({ turn, tree, shared, chosen, act, again, choose, compare }: DetailProps) {
  const body = useBody(turn.id, shared);
  const [asking, setAsking] = useState<'label' | 'fork' | null>(null);
  const { live } = shared;
  const { id } = turn;
  const off = !live || turn.outcome === 'failed';
  const beside = place(tree, turn);
  const label = tree.labels.get(id)?.[0] ?? '';
  const favourite = tree.favourites.has(id);
  const facts = [
    turn.model,
    turn.context ? `${tokens(turn.context)} tokens of context` : '',
    dollars(turn.cost),
    turn.seconds ? `${turn.seconds.toFixed(1)} s` : '',
    turn.created ? new Date(turn.created * 1000).toLocaleString() : '',
    beside ? `answer ${beside[0]} of ${beside[1]}` : '',
    tree.forks.has(id) ? `forked into ${tree.forks.get(id)?.join(', ')}` : ''
  ];
  return (
    <article class="detail" aria-label={`Turn ${id}`} aria-live="off">
      <header>
        <Button
          label="Copy the id"
          kind="id"
          onPress={() => void shared.stage.copy(id).then(() => shared.say('copied'))}
        >
          {id}
        </Button>
        {label && <span class="mark label">{label}</span>}
        <span class="quiet facts">{facts.filter(Boolean).join(' · ')}</span>
      </header>
      <div class="actions">
        {tree.tip === id ? (
          <span class="mark here">you are here</span>
        ) : (
          <Button
            label="Make this the tip: the next new cell continues from here (Enter)"
            kind="strong"
            disabled={off}
            onPress={() => void act('continue', { turn: id })}
          >
            Continue from here
          </Button>
        )}
        <Button
          label="Ask the model once more, beside this answer, in a cell. This is a call"
          disabled={off}
          onPress={again}
        >
          Another answer
        </Button>
        <Button label="Compare all answers beside this one (c)" disabled={off || !beside} onPress={compare}>
          Compare
        </Button>
        <Button label="Choose for comparing (space bar)" pressed={chosen} disabled={off} onPress={choose}>
          {chosen ? 'Chosen' : 'Choose'}
        </Button>
        <Button
          label="Favourite (f)"
          pressed={favourite}
          disabled={off}
          onPress={() => void act('favourite', { turn: id, on: !favourite })}
        >
          {favourite ? '★' : '☆'}
        </Button>
        <Button label="Label this turn" disabled={off} onPress={() => setAsking('label')}>
          Label
        </Button>
        <Button
          label="Copy the path to this turn into a new conversation"
          disabled={off}
          onPress={() => setAsking('fork')}
        >
          Fork
        </Button>
        <Button
          label="Hide this turn and what continues from it, here only (h)"
          disabled={off}
          onPress={() => void act('hide', { turn: id, on: !tree.hidden.has(id) })}
        >
          {tree.hidden.has(id) ? 'Unhide' : 'Hide'}
        </Button>
        <Button
          label="What was sent for this turn, and why"
          disabled={off}
          onPress={() => shared.open('ladder', { turn: id })}
        >
          Ladder
        </Button>
      </div>
      {asking && (
        <Ask
          label={asking === 'label' ? 'Label (one word; empty takes it away):' : 'Name of the fork (empty: none):'}
          value={asking === 'label' ? label : ''}
          give={answer => {
            setAsking(null);
            if (answer !== null) {
              void act(asking, { turn: id, [asking === 'label' ? 'label' : 'name']: answer || null });
            }
          }}
        />
      )}
      <blockquote dir="auto">{body?.prompt || turn.title}</blockquote>
      {body ? (
        <Markdown stage={shared.stage} text={body.text} />
      ) : (
        <p class="quiet">{live ? '…' : 'The answer is in its cell; a running kernel shows it here.'}</p>
      )}
    </article>
  );
}
