import { useEffect } from 'react';
import { allActs } from './acts';

/** How long the second key of a pair may take. */
const patience = 1200;

/** Runs acts by their keys, unless somebody types or holds a modifier. */
export function useKeys() {
  useEffect(() => {
    let before = '';
    let at = 0;
    const press = (event: KeyboardEvent) => {
      if ((event.metaKey || event.ctrlKey) && event.key === 'k') {
        event.preventDefault();
        allActs()
          .find(({ id }) => id === 'palette')
          ?.run();
        return;
      }
      if (event.ctrlKey || event.metaKey || event.altKey || event.repeat || isTyping(event.target)) return;
      const pair = event.timeStamp - at < patience && before ? `${before} ${event.key}` : '';
      const act = allActs().find(({ keys }) => keys === pair) ?? allActs().find(({ keys }) => keys === event.key);
      before = event.key;
      at = event.timeStamp;
      if (!act) return;
      before = '';
      event.preventDefault();
      act.run();
    };
    window.addEventListener('keydown', press);
    return () => window.removeEventListener('keydown', press);
  }, []);
}

/** Whether keys belong to a field or a dialog. */
export function isTyping(target: EventTarget | null): boolean {
  return (
    target instanceof HTMLElement &&
    (target.isContentEditable ||
      /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName) ||
      target.closest('[role=dialog]') !== null)
  );
}
