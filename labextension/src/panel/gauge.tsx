/** How full the window would be with a prompt now, and what the ladder would take back. */

import { tokens } from '../views/parts';
import type { Gauge } from './known';

const WHOLE = 'The next prompt goes out whole; the ladder has nothing to do.';
const TOO_FULL = 'The next prompt would not fit, and no rung takes enough back. Continue from an earlier turn.';

export function WindowGauge({ gauge }: { gauge: Gauge }) {
  const whole = Math.max(gauge.room, gauge.raw, gauge.tokens, 1);
  const share = gauge.room ? Math.round((100 * gauge.tokens) / gauge.room) : 0;
  const width = (count: number): string => `${(100 * count) / whole}%`;
  const before = gauge.raw > gauge.tokens ? gauge.raw : 0;
  const said = `${tokens(gauge.tokens)} of ${tokens(gauge.room)} tokens, ${share} %`;
  const tone = !gauge.fits || share > 100 ? 'over' : share > 80 ? 'near' : '';
  return (
    <div class="gauge">
      <div class="track" aria-hidden="true">
        {before > 0 && <span class="raw" style={{ width: width(before) }} />}
        <span class={`full ${tone}`} style={{ width: width(gauge.tokens) }} />
        {whole > gauge.room && <span class="limit" style={{ left: width(gauge.room) }} />}
      </div>
      <p class="figures">
        <span>{said}</span>
        {before > 0 && <span class="quiet">{tokens(before)} as stored</span>}
      </p>
      {gauge.rungs.map(rung => (
        <p key={rung.rung} class="rung" title={rung.lost}>
          <strong>{rung.rung}</strong> {tokens(rung.before)} → {tokens(rung.after)}
          {rung.lost && <span class="quiet"> · {rung.lost}</span>}
        </p>
      ))}
      {gauge.rungs.length === 0 && gauge.remarks.length === 0 && <p class="quiet">{gauge.fits ? WHOLE : TOO_FULL}</p>}
      {gauge.remarks.map(line => (
        <p key={line} class="quiet">
          {line}
        </p>
      ))}
    </div>
  );
}
