import { useEffect, useState } from 'react';
import type { JsonObject } from '../../document/operation';

/** How long no screen changes before what others take from it is drawn, in milliseconds. */
const rest = 500;

/**
 * The flow that all screens are drawn with. Another theme or language is in it at once. What a screen takes from others
 * (the names of answers, how far a run has come) is of an earlier flow until edits rest: to draw all screens at each key
 * would keep the one that is edited waiting.
 */
export function useRested(flow: JsonObject): JsonObject {
  const [rested, setRested] = useState(flow);
  useEffect(() => {
    if (flow === rested) return;
    const timer = setTimeout(() => setRested(flow), rest);
    return () => clearTimeout(timer);
  }, [flow, rested]);
  return isSameBesideScreens(rested, flow) ? rested : flow;
}

/** Whether flows differ inside of screens at most: each member keeps its identity while nothing in it changes. */
export function isSameBesideScreens(a: JsonObject, b: JsonObject): boolean {
  const names = new Set([...Object.keys(a), ...Object.keys(b)]);
  names.delete('screens');
  names.delete('builderMeta'); // what the editor keeps there is not drawn
  return [...names].every((name) => a[name] === b[name]) && ids(a) === ids(b);
}

const ids = ({ screens }: JsonObject) =>
  JSON.stringify(Array.isArray(screens) ? screens.map((screen) => (screen as JsonObject | null)?.id) : []);
