import { useCallback, useRef, useState } from 'react';

export interface LogLine {
  id: number;
  path: string;
  name: string;
  detail: string;
}

const KEPT = 50;

/** The latest things that happened, newest first. */
export function useLog() {
  const [lines, setLines] = useState<readonly LogLine[]>([]);
  const next = useRef(0);
  const add = useCallback((path: string, name: string, detail: unknown) => {
    next.current += 1;
    const line = { id: next.current, path, name, detail: JSON.stringify(detail) };
    setLines((old) => [line, ...old].slice(0, KEPT));
  }, []);
  return { lines, add };
}
