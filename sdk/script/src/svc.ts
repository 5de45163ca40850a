import { readSettings } from './settings';
import { Tracker } from './tracker';

// What a page calls: svc('event', 'Signed up', {plan: 'yearly'}). Calls before the script is there wait in svc.q.
type Call = [command: string, ...values: unknown[]];
type Entry = { (...call: Call): unknown; q?: ArrayLike<unknown>[] };

const place = window as unknown as { svc?: Entry };
const script = document.currentScript;

if (script instanceof HTMLScriptElement) start(script);

function start(script: HTMLScriptElement): void {
  const early = place.svc?.q;
  // A script that stands in a page twice counts it once.
  if (place.svc && !early && 'tracker' in place.svc) return;
  try {
    const tracker = new Tracker(readSettings(script));
    const entry: Entry = (...[command, ...values]) => tracker.call(command, values);
    place.svc = Object.assign(entry, { tracker });
    tracker.start();
    for (const call of Array.from(early ?? [])) entry(...(Array.from(call) as Call));
  } catch (error) {
    console.warn((error as Error).message);
  }
}
