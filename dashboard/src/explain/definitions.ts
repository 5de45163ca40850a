import { type FigureKind, formatExact } from '../ui/format';

/** What is known of a page's figures, by their id. */
export type Figures = Readonly<Record<string, number | null | undefined>>;

type Definition = {
  name: string;
  kind: FigureKind;
  /** What it counts, in a sentence. */
  means: string;
  /** How it is made of others: their ids, numerator first. */
  ratio?: readonly [string, string];
};

/** What every figure means (docs/analytics.md, docs/flow-analytics.md, docs/revenue.md), by its field. */
export const definitions: Record<string, Definition> = {
  visitors: { name: 'Visitors', kind: 'count', means: 'People with at least one hit in the range, each once.' },
  sessions: { name: 'Sessions', kind: 'count', means: 'Sessions with at least one hit in the range.' },
  views: { name: 'Views', kind: 'count', means: 'Pages and screens that were looked at in the range.' },
  events: {
    name: 'Events',
    kind: 'count',
    means: 'Custom events in the range: neither views nor the start of a session.',
  },
  newVisitors: { name: 'New visitors', kind: 'count', means: 'People whose very first hit is in the range.' },
  bounceRate: {
    name: 'Bounce rate',
    kind: 'share',
    means: 'Sessions with at most one view and no custom event, of all sessions.',
  },
  averageSessionSeconds: {
    name: 'Session length',
    kind: 'seconds',
    means: 'Mean time from the first to the last hit of a session, the whole session counted.',
  },
  viewsPerSession: {
    name: 'Views a session',
    kind: 'number',
    means: 'Views in the range, divided by sessions.',
    ratio: ['views', 'sessions'],
  },
  revenue: {
    name: 'Revenue',
    kind: 'money',
    means: 'First charges in the range, gross, in dollars. Renewals and refunds are in the report of revenue.',
  },
  pageVisitors: {
    name: 'Visitors',
    kind: 'count',
    means: 'People who looked at the page in the range, or whose session began or ended there.',
  },
  pageSessions: {
    name: 'Sessions',
    kind: 'count',
    means: 'Sessions with a view of the page in the range, or that began or ended there.',
  },
  pageViews: { name: 'Views', kind: 'count', means: 'How often the page was looked at in the range.' },
  averageSecondsOnPage: {
    name: 'Time on page',
    kind: 'seconds',
    means: 'Mean time from a view to the next of its session, the last one to the session’s end.',
  },
  entries: { name: 'Entries', kind: 'count', means: 'Sessions that began with the page.' },
  exits: { name: 'Exits', kind: 'count', means: 'Sessions that ended with the page.' },
  exitRate: {
    name: 'Exit rate',
    kind: 'share',
    means: 'Sessions that ended with the page, of its views. A range that cuts sessions may give more than all.',
    ratio: ['exits', 'pageViews'],
  },
  eventTimes: { name: 'Times', kind: 'count', means: 'How often the event happened in the range.' },
  eventVisitors: { name: 'Visitors', kind: 'count', means: 'People who did it in the range, each once.' },
  eventSessions: { name: 'Sessions', kind: 'count', means: 'Sessions in which it happened in the range.' },
  cohortSize: { name: 'People', kind: 'count', means: 'People whose very first hit is in the cohort’s time.' },
  returned: { name: 'Came back', kind: 'count', means: 'Of the cohort, people with a hit on that day.' },
  eligible: { name: 'Could have', kind: 'count', means: 'Of the cohort, people for whom that day is over.' },
  returnRate: {
    name: 'Came back',
    kind: 'share',
    means: 'People who came back, of those for whom the day is over. A day that is not over for all is hatched.',
    ratio: ['returned', 'eligible'],
  },
  starts: { name: 'Starts', kind: 'count', means: 'People with a run of the flow that started in the range.' },
  completions: { name: 'Completions', kind: 'count', means: 'People with a completed run.' },
  completionRate: {
    name: 'Completion rate',
    kind: 'share',
    means: 'People with a completed run, of those with a run.',
    ratio: ['completions', 'starts'],
  },
  timeToComplete: {
    name: 'Time to complete',
    kind: 'seconds',
    means: 'The median of completed runs, from their start to their completion.',
  },
  paywallViewers: {
    name: 'Saw a paywall',
    kind: 'count',
    means: 'People with a run in which a surface was presented.',
  },
  purchases: {
    name: 'Purchases',
    kind: 'count',
    means: 'People with a first charge or a trial that belongs to one of the runs.',
  },
  conversionRate: {
    name: 'Conversion',
    kind: 'share',
    means: 'People who purchased, of those to whom a surface was presented.',
    ratio: ['purchases', 'paywallViewers'],
  },
  flowRevenue: {
    name: 'Revenue',
    kind: 'money',
    means: 'Charges that belong to the runs, less what of them was paid back, whenever.',
  },
  gross: { name: 'Gross', kind: 'money', means: 'Charges, in dollars of their day.' },
  refunds: { name: 'Refunds', kind: 'money', means: 'What refunds took back, less what was given back after that.' },
  chargebacks: { name: 'Chargebacks', kind: 'money', means: 'What disputes took back, less what was reinstated.' },
  net: { name: 'Net', kind: 'money', means: 'Gross less refunds and chargebacks.' },
  proceeds: { name: 'Proceeds', kind: 'money', means: 'Net less tax and commission, where providers say them.' },
  customers: {
    name: 'Customers',
    kind: 'count',
    means: 'People who paid; whoever is not known counts once a subscription or single charge.',
  },
  transactions: { name: 'Transactions', kind: 'count', means: 'Charges of more than nothing.' },
  refunded: { name: 'Refunded', kind: 'count', means: 'Transactions that a refund took back, in part or whole.' },
  refundRate: {
    name: 'Refund rate',
    kind: 'share',
    means: 'Transactions that were refunded, of all transactions.',
    ratio: ['refunded', 'transactions'],
  },
  mrr: {
    name: 'MRR',
    kind: 'money',
    means: 'What the subscriptions come to a month that are active at the end of the range.',
  },
  arr: { name: 'ARR', kind: 'money', means: 'Twelve times the MRR.' },
  active: { name: 'Active', kind: 'count', means: 'Paid subscriptions that are not expired, in a grace period too.' },
  churned: {
    name: 'Churned',
    kind: 'count',
    means: 'Subscriptions that were active at the start of the range and ended in it.',
  },
  activeAtStart: { name: 'Active at the start', kind: 'count', means: 'Paid subscriptions at the start of the range.' },
  churnRate: {
    name: 'Churn',
    kind: 'share',
    means: 'Subscriptions that ended, of those that were active at the start of the range.',
    ratio: ['churned', 'activeAtStart'],
  },
};

/** The formula of a ratio with the figures of the page, as far as they are known. */
export function formulaOf(id: string, figures: Figures): string | undefined {
  const { ratio, kind } = definitions[id] ?? {};
  if (!ratio || !kind) return undefined;
  const [above, below] = ratio.map((part) => formatExact(figures[part], definitions[part]!.kind));
  const words = ratio.map((part) => definitions[part]!.name.toLowerCase()).join(' ÷ ');
  return `${words} = ${above} ÷ ${below} = ${formatExact(figures[id], kind)}`;
}
