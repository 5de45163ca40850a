import type { Part } from './parts';

const events = 'Exact: counted from all stored events, never sampled.';

/** How exact a part of an answer is, by the path that it begins with; the longest decides. */
const precisions: Readonly<Record<string, string>> = {
  'app.productAnalytics': events,
  'app.appFlowOverview': events,
  flowAnalytics: events,
  'flowAnalytics.recent': 'Runs as they are stored. Only the newest are listed.',
  'app.people': 'Exact: from all stored profiles, sessions, runs and charges; at most 10,000 runs per device.',
  'app.person': 'Exact: from the stored profile, sessions, runs and charges; at most 10,000 runs per device.',
  'app.ingestHealth': 'Exact: counted as events arrive, also those that are rejected and not stored.',
  revenue: 'Exact: summed from all charges and refunds in the ledger.',
  'app.unmappedRevenue': 'Exact: summed from all charges and refunds in the ledger.',
  experimentResults: 'Users and values are exact. Intervals and chances to win are estimates that hold on every day.',
  experimentPlan: 'An estimate, from the runs of the last 30 days and the traffic of the last 14.',
  'app.automations': 'Exact: everyone who entered is counted.',
  automation: 'Exact: everyone who entered is counted.',
  'workspace.usage': 'Exact: every user of the month is counted once.',
};

/** What is set up or listed as it is: nothing is counted. */
const stored = 'As stored when it was read: a list, not a count of events.';

const precisionOfPart = (part: string): string => {
  const known = Object.keys(precisions).filter((path) => part === path || part.startsWith(`${path}.`));
  return precisions[known.sort((a, b) => b.length - a.length)[0] ?? ''] ?? stored;
};

/** Whether parts of an answer are lists without anything counted in them. */
export const isList = (parts: readonly Part[]): boolean => parts.every((part) => precisionOfPart(part) === stored);

/** How exact the parts of an answer are, in sentences: what is listed beside values is not mentioned. */
export function precisionOf(parts: readonly Part[]): string {
  if (isList(parts)) return stored;
  return [...new Set(parts.map(precisionOfPart))].filter((text) => text !== stored).join(' ');
}
