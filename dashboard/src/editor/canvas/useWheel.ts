import { type RefObject, useEffect, useRef } from 'react';

/** Listens to the wheel in a way that may keep the page from scrolling and zooming, which React does not. */
export function useWheel(element: RefObject<HTMLElement | null>, turn: (event: WheelEvent) => void) {
  const latest = useRef(turn);
  useEffect(() => {
    latest.current = turn;
  });
  useEffect(() => {
    const listen = (event: WheelEvent) => {
      event.preventDefault();
      latest.current(event);
    };
    const target = element.current;
    target?.addEventListener('wheel', listen, { passive: false });
    return () => target?.removeEventListener('wheel', listen);
  }, [element]);
}
