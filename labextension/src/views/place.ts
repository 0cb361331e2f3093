/** An element that stays as high, and scrolled as far, while what it holds is laid out anew. */

import { useLayoutEffect, useRef } from 'preact/hooks';

/** Frames that a new layout may take until its blocks are rendered. */
const FRAMES = 30;

export function usePlace(layout: unknown): { current: HTMLDivElement | null } {
  const element = useRef<HTMLDivElement>(null);
  const before = useRef({ top: 0, height: 0 });
  if (element.current) {
    before.current = { top: element.current.scrollTop, height: element.current.offsetHeight };
  }
  useLayoutEffect(() => {
    const place = element.current;
    const { top, height } = before.current;
    if (!place || !height) {
      return undefined;
    }
    let [frames, next] = [FRAMES, 0];
    place.style.minHeight = `${height}px`;
    const put = (): void => {
      place.scrollTop = top;
      if (frames-- > 0 && (place.scrollTop < top - 1 || frames > FRAMES - 3)) {
        next = requestAnimationFrame(put);
      } else {
        place.style.minHeight = '';
      }
    };
    put();
    return () => {
      cancelAnimationFrame(next);
      place.style.minHeight = '';
    };
  }, [layout]);
  return element;
}
