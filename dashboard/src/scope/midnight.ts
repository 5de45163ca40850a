import { useCallback, useSyncExternalStore } from 'react';
import { queryClient } from '../graphql/query';
import { addDays, type Day, dayOf, startOfDay } from './calendar';

/** Calls back when a new day has begun in a zone, until the function that it returns is called. It waits by one timer;
 * as that stands still while the machine sleeps, the day is looked at again when the page is seen. */
export function onNewDay(zone: string, begun: () => void): () => void {
  let today = dayOf(zone, new Date());
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

/** Today in a zone. When a new day begins, what is shown is asked anew, as ranges that end today have moved: at once
 * where somebody sees it, else when they do. */
export function useToday(zone: string): Day {
  const subscribe = useCallback(
    (changed: () => void) =>
      onNewDay(zone, () => {
        void queryClient.invalidateQueries({ refetchType: document.hidden ? 'none' : 'active' });
        changed();
      }),
    [zone],
  );
  return useSyncExternalStore(subscribe, () => dayOf(zone, new Date()));
}
