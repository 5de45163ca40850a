import type { FlowEvent } from '@svc/core';
import type { NodeId } from '../document/operation';

/** Why a run went where it went. */
export type Reason =
  | { is: 'decision'; decision: NodeId; matched: string | null } // the case that held; null for none
  | { is: 'outcome'; outcome: string } // how a surface ended
  | { is: 'answer'; field: string; options: readonly string[] } // which options were chosen, as they may lead on
  | { is: 'skipped' }
  | { is: 'back' };

/** A stay of a run at a step. */
export type Visit = {
  /** The number of the event that it began with: no two visits of a run have the same. */
  key: number;
  /** A screen or surface; null for the end. */
  step: NodeId | null;
  because: readonly Reason[];
  /** When it began and was over, in milliseconds since 1970; it lasts when there is no end. */
  from: number;
  to?: number;
};

/** The way that a run took, by its events. Where earlier events are not kept it begins with the first visit that is. */
export function trailOf(events: readonly FlowEvent[]): Visit[] {
  const visits: Visit[] = [];
  let because: Reason[] = [];
  let answered = false;
  for (const event of events) {
    const { name, properties = {}, stepId = null, seq = 0 } = event;
    switch (name) {
      case 'decision_evaluated':
        because.push({
          is: 'decision',
          decision: String(properties.decision_node_id),
          matched: properties.matched_case_id === null ? null : String(properties.matched_case_id),
        });
        break;
      case 'choice_selected': {
        const { field_key, value } = properties;
        const before = because.find((one) => one.is === 'answer' && one.field === field_key);
        const options = before?.is === 'answer' ? before.options : [];
        because = because.filter((one) => one !== before);
        because.push({ is: 'answer', field: String(field_key), options: [...options, String(value)] });
        break;
      }
      case 'surface_outcome':
        because.push({ is: 'outcome', outcome: String(properties.outcome) });
        answered = true;
        break;
      case 'step_skipped':
        because.push({ is: 'skipped' });
        answered = true;
        break;
      case 'step_completed':
        answered = true;
        break;
      case 'step_viewed':
      case 'surface_presented':
      case 'flow_completed': {
        const at = Date.parse(event.timestamp);
        const last = visits.at(-1);
        if (last) last.to = at;
        const isEnd = name === 'flow_completed';
        // What brings a run to another screen and answers nothing is a way back.
        if (last && !answered && !isEnd) because.push({ is: 'back' });
        visits.push({ key: seq, step: isEnd ? null : stepId, because, from: at, ...(isEnd && { to: at }) });
        because = [];
        answered = false;
      }
    }
  }
  return visits;
}
