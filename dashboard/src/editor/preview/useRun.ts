import { type RefObject, useCallback, useEffect, useLayoutEffect, useRef, useState } from 'react';
import type { NodeId } from '../document/operation';
import { usePreviewed } from '../useEditor';
import type { Given, RunPort, RunWindow, Told } from './port';

type Options = { from: NodeId | null; leave: () => void };

/** Runs what is given in a frame; `onLoad` is the frame's. `told` is undefined until it has begun. */
export function useRun(frame: RefObject<HTMLIFrameElement | null>, given: Given, { from, leave }: Options) {
  const [port, setPort] = useState<RunPort>();
  const [told, setTold] = useState<Told>();
  const begins = useRef(from);
  const previewed = usePreviewed();
  const latest = useRef(leave);
  useEffect(() => {
    latest.current = leave;
  });
  const onLoad = useCallback(() => {
    const opened = (frame.current?.contentWindow as RunWindow | null)?.svcRun;
    if (!opened) return;
    opened.onTold = (told) => {
      setTold(told);
      previewed?.set((expression) => opened.holds(expression));
    };
    opened.onLeave = () => latest.current();
    opened.restart(begins.current);
    setPort(opened);
  }, [frame, previewed]);
  useEffect(() => () => previewed?.set(undefined), [previewed]);
  useLayoutEffect(() => port?.show(given), [port, given]);
  const restart = useCallback((to: NodeId | null) => port?.restart(to), [port]);
  return { told, restart, onLoad };
}
