import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import { between, type Place, startsOf } from './rows';

type Options = {
  scroller: RefObject<HTMLElement | null>;
  count: number;
  /** The height of a row that was not drawn yet, in pixels. */
  estimate: number;
  /** Tells a row apart while others come and go; without it rows are as high as they are estimated. */
  keyOf?: (index: number) => string;
  /** A row that is drawn wherever it is; below 0 for none. */
  kept?: () => number;
};

const around = 12;

/** Which rows of a long list are to be drawn: those in sight, and some around them. Rows whose height is not the estimate
 * have `measure` as their ref and their index as `data-index`. */
export function useRowsInSight({ scroller, count, estimate, keyOf, kept }: Options) {
  const [heights] = useState(() => new Map<string, number>());
  const [[first, end], setRange] = useState<readonly [number, number]>([0, 0]);
  const [, setMeasured] = useState({});
  const starts = startsOf(count, (index) => (keyOf && heights.get(keyOf(index))) ?? estimate);
  const latest = useRef({ starts, keyOf });
  latest.current = { starts, keyOf };

  const look = useCallback(() => {
    const element = scroller.current;
    if (!element) return;
    const { scrollTop, clientHeight } = element;
    const next = between(latest.current.starts, scrollTop, scrollTop + clientHeight, around);
    setRange((was) => (was[0] === next[0] && was[1] === next[1] ? was : next));
  }, [scroller]);
  useLayoutEffect(look);
  useEffect(() => {
    const element = scroller.current;
    if (!element) return;
    const observer = new ResizeObserver(look);
    observer.observe(element);
    element.addEventListener('scroll', look, { passive: true });
    return () => {
      observer.disconnect();
      element.removeEventListener('scroll', look);
    };
  }, [scroller, look]);

  const [rows] = useState(
    () =>
      new ResizeObserver((entries) => {
        const { starts, keyOf } = latest.current;
        let above = 0;
        for (const { target, borderBoxSize } of entries) {
          const index = Number((target as HTMLElement).dataset.index);
          const height = borderBoxSize[0]!.blockSize;
          const was = starts[index + 1]! - starts[index]!;
          if (!keyOf || !(Math.abs(height - was) >= 0.5)) continue;
          heights.set(keyOf(index), height);
          if (starts[index]! < scroller.current!.scrollTop) above += height - was;
          setMeasured({});
        }
        // What is in sight stays where it is.
        if (above !== 0) scroller.current!.scrollTop += above;
      }),
  );
  const measure = useCallback(
    (row: HTMLElement | null) => {
      if (!row) return;
      rows.observe(row);
      return () => rows.unobserve(row);
    },
    [rows],
  );

  const drawn = new Set(Array.from({ length: Math.max(0, Math.min(end, count) - first) }, (_, at) => first + at));
  const one = kept?.() ?? -1;
  if (one >= 0) drawn.add(one);
  const inSight: Place[] = [...drawn]
    .sort((a, b) => a - b)
    .map((index) => ({ index, start: starts[index]!, end: starts[index + 1]! }));
  return { inSight, total: starts[count]!, measure };
}
