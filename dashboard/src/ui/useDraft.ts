import { useState } from 'react';

/** The fields of a form: each shows what was typed, otherwise what is saved, also when that changes meanwhile. Values are
 * compared by what they say, so they must be data. */
export function useDraft<T extends object>(saved: T) {
  const [typed, setTyped] = useState<Partial<T>>({});
  return {
    draft: { ...saved, ...typed },
    changed: Object.keys(differing(typed, saved)).length > 0,
    type: (fields: Partial<T>) => setTyped((before) => ({ ...before, ...fields })),
    /** To be called once `sent` was saved and what is saved was asked for anew: fields that were typed in meanwhile stay. */
    sent: (sent: T) => setTyped((before) => differing(before, sent)),
    undo: () => setTyped({}),
  };
}

/** The fields that say something else than those of `other`. */
export function differing<T extends object>(fields: Partial<T>, other: T): Partial<T> {
  const left = { ...fields };
  for (const name in left) if (JSON.stringify(left[name]) === JSON.stringify(other[name])) delete left[name];
  return left;
}
