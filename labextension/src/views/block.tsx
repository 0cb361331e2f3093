/** One block of an answer in a comparison, with what the others have not tinted. */

import { useCallback } from 'preact/hooks';
import { changes, common, type Piece } from '../core/compare';
import { Markdown } from './parts';
import type { Stage } from './stage';
import { tint } from './tint';

interface BlockProps {
  text: string;
  /** The blocks it is compared with. */
  others: string[];
  /** Whether the others have nothing here. */
  alone: boolean;
  kind: string;
  source: boolean;
  stage: Stage;
}

/** A block without its indent, which would make code of what stood inside a list; and a style that keeps the place. */
export function indented(block: string): [text: string, style: { marginInlineStart?: string }] {
  const [indent = ''] = /^ */.exec(block) ?? [];
  if (!indent) {
    return [block, {}];
  }
  const text = block.replace(new RegExp(`^ {1,${indent.length}}`, 'gm'), '');
  return [text, { marginInlineStart: `${Math.min(indent.length, 12) * 0.55}em` }];
}

export function Block({ text: block, others, alone, kind, source, stage }: BlockProps) {
  const compared = others.join('\0');
  const edit = useCallback(
    async (node: Node): Promise<void> => {
      const bare = compared ? compared.split('\0').map(other => indented(other)[0]) : [];
      const rendered = await Promise.all(bare.map(other => stage.markdown(other)));
      const told = alone ? [''] : rendered.map(other => other.textContent ?? '');
      if (told.length > 0) {
        tint(node, told, kind);
      }
    },
    [compared, alone, kind, stage]
  );
  if (!source) {
    const [text, style] = indented(block);
    return (
      <div style={style}>
        <Markdown stage={stage} text={text} edit={edit} />
      </div>
    );
  }
  const pieces: Piece[] = alone ? [{ text: block, changed: true }] : common(others.map(other => changes(block, other)));
  return (
    <div class="plain">
      {pieces.length === 0
        ? block
        : pieces.map((piece, n) => (piece.changed ? <Marked key={n} text={piece.text} kind={kind} /> : piece.text))}
    </div>
  );
}

/** A tint ends where the words end, not with the space behind them. */
function Marked({ text: said, kind }: { text: string; kind: string }) {
  const bare = said.trimEnd();
  return (
    <>
      <mark class={kind}>{bare}</mark>
      {said.slice(bare.length)}
    </>
  );
}
