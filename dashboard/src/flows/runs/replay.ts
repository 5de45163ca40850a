import type { RunRecord } from './queries';

type RunEvent = RunRecord['events'][number];

/** A visit of a step with what was done there, in order. */
export type Visit = { stepId: string; at: string; seconds: number | null; acts: Act[] };
export type Act = { at: string; what: string; value?: string };

/** What each event of the catalogue is in words; those that only say where somebody is are left out. */
const words: Record<string, string> = {
  choice_selected: 'chose',
  text_submitted: 'wrote',
  button_pressed: 'pressed',
  step_completed: 'continued',
  step_skipped: 'skipped',
  permission_prompted: 'was asked for a permission',
  permission_result: 'answered the permission',
  surface_presented: 'saw the paywall',
  surface_outcome: 'closed the paywall',
  iap_purchase: 'bought',
  flow_completed: 'completed the flow',
  flow_abandoned: 'left the flow',
};

/** The visits of a run, each with the events from its beginning up to the next. */
export function visitsOf({ run, events }: RunRecord): Visit[] {
  const visits = run.path.map(({ stepId, at, seconds }): Visit => ({ stepId, at, seconds, acts: [] }));
  for (const hit of events) {
    const what = words[hit.name];
    if (!what) continue;
    const visit = visits.findLast(({ at }) => at <= hit.at) ?? visits[0];
    visit?.acts.push({ at: hit.at, what, value: saidIn(hit) });
  }
  return visits;
}

/** What was chosen or written. Values that must not be read come redacted, and are said to be. */
function saidIn({ properties }: RunEvent): string | undefined {
  if (typeof properties !== 'object' || properties === null) return undefined;
  const said = properties as Record<string, unknown>;
  for (const key of ['value', 'text', 'outcome', 'status', 'product_id', 'label', 'field_key']) {
    const value = said[key];
    if (value === '__redacted__') return 'hidden';
    if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return String(value);
  }
  return undefined;
}
