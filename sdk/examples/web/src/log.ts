import { useCallback, useRef, useState } from 'react';

export interface LogLine {
  id: number;
  /** Time of day. */
  at: string;
  path: string;
  name: string;
  detail: string;
}

const KEPT = 80;
const LONGEST_DETAIL = 6_000;

/** The latest things that happened, newest first. */
export function useLog() {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const next = useRef(0);
  const add = useCallback((path: string, name: string, detail: unknown) => {
    next.current += 1;
    const at = new Date().toLocaleTimeString('en-GB');
    const text = JSON.stringify(detail, null, 2) ?? '';
    const line = { id: next.current, at, path, name, detail: text.slice(0, LONGEST_DETAIL) };
    setLines((old) => [line, ...old].slice(0, KEPT));
  }, []);
  return { lines, add };
}
