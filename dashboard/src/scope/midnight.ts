import { useCallback, useSyncExternalStore } from 'react';
import { queryClient } from '../graphql/query';
import { addDays, type Day, dayOf, startOfDay } from './calendar';

/** Calls back when a new day has begun in a zone since a time, until the function that it returns is called. It waits by
 * one timer; as that stands still while the machine sleeps, the day is looked at again when the page is seen. */
export function onNewDay(zone: string, begun: () => void, since = new Date()): () => void {
  let today = dayOf(zone, since);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const look = () => {
    clearTimeout(timer);
    const now = new Date();
    const day = dayOf(zone, now);
    timer = setTimeout(look, startOfDay(zone, addDays(day, 1)).getTime() - now.getTime());
    if (day === today) return;
    today = day;
    begun();
  };
  look();
  document.addEventListener('visibilitychange', look);
  return () => {
    clearTimeout(timer);
    document.removeEventListener('visibilitychange', look);
  };
}

/** Until when new days were waited for: what is shown may have been asked since then. */
let waited = new Date(performance.timeOrigin);

/** Today in a zone. When a new day begins, what is shown is asked anew, as ranges that end today have moved: at once
 * where somebody sees it, else when they do. */
export function useToday(zone: string): Day {
  const subscribe = useCallback(
    (changed: () => void) => {
      const begun = () => {
        void queryClient.invalidateQueries({ refetchType: document.hidden ? 'none' : 'active' });
        changed();
      };
      const stop = onNewDay(zone, begun, waited);
      return () => {
        stop();
        waited = new Date();
      };
    },
    [zone],
  );
  return useSyncExternalStore(subscribe, () => dayOf(zone, new Date()));
}
