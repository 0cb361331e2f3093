/** What stands above a column of a comparison: which answer it is, and what is known of it beside its text. */

import type { Column } from './columns';
import { Button, type Shared } from './parts';

interface HeadProps {
  column: Column;
  base: boolean;
  rebase(): void;
}

export function Head({ column, base, rebase }: HeadProps) {
  return (
    <div class={base ? 'cell head base' : 'cell head'} role="columnheader">
      {column.variant && <strong>{column.variant}</strong>}
      {column.id && <code class="id">{column.id}</code>}
      {column.state && <span class="quiet">{column.state}</span>}
      {column.label && <span class="mark label">{column.label}</span>}
      <label class="grow right" title="Compare the others with this one">
        <input
          type="radio"
          name="baseline"
          aria-label={`${column.id || column.variant} is the baseline`}
          checked={base}
          disabled={!column.id}
          onChange={rebase}
        />{' '}
        baseline
      </label>
    </div>
  );
}

export function Facts({ column, share, shared }: { column: Column; share: string; shared: Shared }) {
  return (
    <div class="cell" role="cell">
      <dl>
        {[...column.facts, ['same words', share]].map(([name, value]) => (
          <div key={name}>
            <dt>{name}</dt>
            <dd>{value}</dd>
          </div>
        ))}
      </dl>
      <Button
        label="Make this the tip: the next new cell continues from here"
        disabled={!shared.live || !column.id}
        onPress={() => void shared.act('continue', { turn: column.id })}
      >
        Continue from here
      </Button>
    </div>
  );
}
