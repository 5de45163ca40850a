import { useLayoutEffect, useRef, useState } from 'react';

// biome-ignore lint/suspicious/noExplicitAny: functions of whatever arguments
type Functions = Record<string, (...given: any[]) => unknown>;

/** Functions that do what those of the last draw do and keep their identity, for parts that are drawn anew only when
 * what they show is another. The names stay those of the first draw. Not to be called while drawing. */
export function useStable<T extends Functions>(functions: T): T {
  const latest = useRef(functions);
  useLayoutEffect(() => {
    latest.current = functions;
  });
  const [stable] = useState(() =>
    Object.fromEntries(
      Object.keys(functions).map((name) => [name, (...given: unknown[]) => latest.current[name]!(...given)]),
    ),
  );
  return stable as T;
}
