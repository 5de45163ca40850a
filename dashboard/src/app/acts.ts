import { useEffect, useSyncExternalStore } from 'react';

/** Something that can be done: the palette, the keys and the list of keys show the same acts. */
export type Act = {
  id: string;
  name: string;
  /** Where it stands in the palette and in the list of keys. */
  group: string;
  /** A key, or two that follow each other: `d`, `g h`, `?`. */
  keys?: string;
  /** More words that find it. */
  words?: string;
  /** Keys of which a list tells, and which something else answers. */
  keysOnly?: true;
  run: () => void;
};

let acts: readonly Act[] = [];
const listeners = new Set<() => void>();

function replace(next: readonly Act[]) {
  acts = next;
  for (const listener of listeners) listener();
}

/** Adds acts while a page shows; a later one of the same id stands for an earlier one. */
export function useActs(added: readonly Act[]) {
  useEffect(() => {
    replace([...acts, ...added]);
    return () => replace(acts.filter((act) => !added.includes(act)));
  }, [added]);
}

export const allActs = (): readonly Act[] => [...new Map(acts.map((act) => [act.id, act])).values()];

export function useAllActs(): readonly Act[] {
  useSyncExternalStore(
    (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
    () => acts,
  );
  return allActs();
}
