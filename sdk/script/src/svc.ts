import { onAddressChange } from './address';
import { readSettings } from './settings';
import { Tracker } from './tracker';

// What a page calls: svc('event', 'Signed up', {plan: 'yearly'}). Calls before the script is there wait in svc.q.
type Call = [command: string, ...values: unknown[]];
type Entry = { (...call: Call): unknown; q?: ArrayLike<unknown>[] };

const place = window as unknown as { svc?: Entry };
const script = document.currentScript as HTMLScriptElement | null;
/** A page that is never loaded or never idle is counted after this long, in milliseconds. */
const PATIENCE_MS = 2_000;

if (script) start(script);

/** Counts the page once it is loaded and the browser is idle, or before anything happens on it: its load is not held up. */
function start(script: HTMLScriptElement): void {
  const early = place.svc?.q;
  // A script that stands in a page twice counts it once.
  if (place.svc && !early) return;
  let tracker: Tracker | null | undefined; // null: the script's attributes can't work
  const begin = (): Tracker | null => {
    if (tracker !== undefined) return tracker;
    try {
      tracker = new Tracker(readSettings(script));
    } catch (error) {
      console.warn((error as Error).message);
      tracker = null;
    }
    tracker?.start();
    for (const call of Array.from(early ?? [])) {
      const [command, ...values] = Array.from(call) as Call;
      tracker?.call(command, values);
    }
    return tracker;
  };
  place.svc = (...[command, ...values]) => begin()?.call(command, values);
  onAddressChange(begin, () => begin()?.follow());
  for (const name of ['pointerdown', 'keydown']) addEventListener(name, begin, { capture: true, passive: true });
  const leave = () => begin()?.leave();
  addEventListener('visibilitychange', () => document.visibilityState === 'hidden' && leave(), true);
  addEventListener('pagehide', leave);
  if (script.dataset.flow || document.querySelector('svc-flow')) {
    begin();
    return;
  }
  // A browser may be idle while the page still waits for a picture: what it does then holds up the load.
  const rest = () => ('requestIdleCallback' in window ? requestIdleCallback(begin) : setTimeout(begin));
  if (document.readyState === 'complete') rest();
  else addEventListener('load', rest);
  setTimeout(begin, PATIENCE_MS);
}
