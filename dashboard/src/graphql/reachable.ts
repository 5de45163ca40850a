/** The server did not answer: it is down, or the connection is. */
export class Unreachable extends Error {}

let lost = false;
const listeners = new Set<() => void>();

/** Remembers whether the server answered what it was asked last. */
export function noteAnswer(answered: boolean): void {
  if (lost === !answered) return;
  lost = !answered;
  for (const listener of listeners) listener();
}

/** True from the first request that the server did not answer to the next that it did. */
export const isLost = (): boolean => lost;

export function onReachable(listener: () => void): () => void {
  listeners.add(listener);
  return () => listeners.delete(listener);
}
