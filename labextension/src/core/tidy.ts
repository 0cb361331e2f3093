/** The tree as nodes and links, laid out by Reingold and Tilford's rule: parents above the middle of their children. */

import { hierarchy, tree as tidy } from 'd3-hierarchy';
import { childrenOf, type Topology } from './topology';

export interface Spot {
  id: string;
  x: number;
  y: number;
  parent: { x: number; y: number } | null;
}

export interface Layout {
  /** From the top down. */
  spots: Spot[];
  width: number;
  height: number;
}

/** Places in pixels: `across` between neighbours, `down` between generations, `margin` around all. */
export function layOut(tree: Topology, across: number, down: number, margin: number, hidden = false): Layout {
  const seen = (id: string): boolean => hidden || !tree.hidden.has(id);
  const root = hierarchy<string | null>(null, id => childrenOf(tree, id).filter(seen));
  tidy<string | null>().nodeSize([across, down])(root);
  let left = 0;
  let right = 0;
  let bottom = 0;
  root.each(({ x = 0, y = 0 }) => {
    left = Math.min(left, x);
    right = Math.max(right, x);
    bottom = Math.max(bottom, y);
  });
  const spots: Spot[] = [];
  // the root is no turn: the first turns stand at the top
  const placed = ({ x = 0, y = 0 }): { x: number; y: number } => ({ x: x - left + margin, y: y - down + margin });
  root.eachBefore(node => {
    if (node.data !== null) {
      const above = node.parent && node.parent.data !== null ? placed(node.parent) : null;
      spots.push({ id: node.data, ...placed(node), parent: above });
    }
  });
  spots.sort((one, other) => one.y - other.y);
  return { spots, width: right - left + 2 * margin, height: Math.max(0, bottom - down) + 2 * margin };
}
