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
  visitors: {
    name: 'Visitors',
    kind: 'count',
    means: 'Users with at least one event in the period, each counted once.',
  },
  sessions: { name: 'Sessions', kind: 'count', means: 'Sessions with at least one event in the period.' },
  views: { name: 'Views', kind: 'count', means: 'Pageviews and screen views in the period.' },
  events: {
    name: 'Events',
    kind: 'count',
    means: 'Custom events in the period: neither views nor session starts.',
  },
  newVisitors: { name: 'New visitors', kind: 'count', means: 'Visitors whose first event ever is in the period.' },
  bounceRate: {
    name: 'Bounce rate',
    kind: 'share',
    means: 'Sessions with at most one view and no custom event, of all sessions.',
  },
  averageSessionSeconds: {
    name: 'Session length',
    kind: 'seconds',
    means: 'Mean time from the first to the last event of a session; whole sessions count.',
  },
  viewsPerSession: {
    name: 'Views per session',
    kind: 'number',
    means: 'Views in the period, divided by sessions.',
    ratio: ['views', 'sessions'],
  },
  revenue: {
    name: 'Revenue',
    kind: 'money',
    means: 'First charges in the period, gross, in US dollars. Renewals and refunds are in the revenue report.',
  },
  pageVisitors: {
    name: 'Visitors',
    kind: 'count',
    means: 'Visitors who viewed the page in the period, or whose session began or ended there.',
  },
  pageSessions: {
    name: 'Sessions',
    kind: 'count',
    means: 'Sessions with a view of the page in the period, or that began or ended there.',
  },
  pageViews: { name: 'Views', kind: 'count', means: 'Views of the page in the period.' },
  averageSecondsOnPage: {
    name: 'Time on page',
    kind: 'seconds',
    means: 'Mean time from a view to the next one in its session; for the last view, to the end of the session.',
  },
  entries: { name: 'Entries', kind: 'count', means: 'Sessions that began with the page.' },
  exits: { name: 'Exits', kind: 'count', means: 'Sessions that ended with the page.' },
  exitRate: {
    name: 'Exit rate',
    kind: 'share',
    means:
      'Sessions that ended with the page, divided by its views. A period that cuts sessions may give more than 100%.',
    ratio: ['exits', 'pageViews'],
  },
  eventTimes: { name: 'Count', kind: 'count', means: 'How often the event happened in the period.' },
  eventVisitors: {
    name: 'Visitors',
    kind: 'count',
    means: 'Visitors who triggered it in the period, each counted once.',
  },
  eventSessions: { name: 'Sessions', kind: 'count', means: 'Sessions in which it happened in the period.' },
  conversions: {
    name: 'Conversions',
    kind: 'count',
    means: 'Events, views, runs or charges in the period that meet the goal.',
  },
  converters: { name: 'Converters', kind: 'count', means: 'Visitors with at least one conversion, each counted once.' },
  goalRate: {
    name: 'Rate',
    kind: 'share',
    means: 'Share of all visitors who converted.',
    ratio: ['converters', 'visitors'],
  },
  funnelEntered: {
    name: 'Entered',
    kind: 'count',
    means:
      'Visitors, or sessions, that met the first step in the period; of a later step, those that met it after all steps before it. The attempt that gets furthest counts.',
  },
  funnelConverted: { name: 'Converted', kind: 'count', means: 'Those that met the last step.' },
  funnelRate: {
    name: 'Conversion rate',
    kind: 'share',
    means: 'Share of those that entered who converted.',
    ratio: ['funnelConverted', 'funnelEntered'],
  },
  funnelDropped: {
    name: 'Dropped off',
    kind: 'count',
    means: 'Those that went no further than the step, and whose window is over or whose attempt an exclusion ended.',
  },
  funnelOpen: {
    name: 'Open',
    kind: 'count',
    means: 'Those that have not converted yet and whose window is not over. They are hatched.',
  },
  funnelSeconds: {
    name: 'Median time',
    kind: 'seconds',
    means: 'Median time from the first step to the last, of those that converted; of a step, from the one before.',
  },
  funnelNext: {
    name: 'Next',
    kind: 'count',
    means: 'Those that dropped off after the step, by the first view or event after it, within their window.',
  },
  anchorSessions: {
    name: 'Anchor',
    kind: 'count',
    means: 'Sessions that show the anchor in the period. Each counts once, from the first time that it does.',
  },
  pathSessions: {
    name: 'Sessions',
    kind: 'count',
    means: 'Sessions whose path has the node at this step. What is shown again with nothing between counts once.',
  },
  pathShare: {
    name: 'Share',
    kind: 'share',
    means: 'Share of the sessions that show the anchor.',
    ratio: ['pathSessions', 'anchorSessions'],
  },
  pathEnded: {
    name: 'Ended',
    kind: 'count',
    means: 'Sessions whose path has no other node behind this one; before an anchor, they began here.',
  },
  cohortSize: { name: 'Visitors', kind: 'count', means: 'Visitors whose first event ever is in the cohort’s period.' },
  returned: { name: 'Returned', kind: 'count', means: 'Visitors of the cohort with an event on that day.' },
  eligible: { name: 'Eligible', kind: 'count', means: 'Visitors of the cohort for whom that day is over.' },
  returnRate: {
    name: 'Retention',
    kind: 'share',
    means: 'Share of the eligible visitors who returned. A day that is not over for all of them is hatched.',
    ratio: ['returned', 'eligible'],
  },
  starts: { name: 'Starts', kind: 'count', means: 'Users with a run of the flow that started in the period.' },
  completions: { name: 'Completions', kind: 'count', means: 'Users with a completed run.' },
  completionRate: {
    name: 'Completion rate',
    kind: 'share',
    means: 'Share of the users with a run who completed one.',
    ratio: ['completions', 'starts'],
  },
  timeToComplete: {
    name: 'Time to complete',
    kind: 'seconds',
    means: 'Median time from start to completion of completed runs.',
  },
  paywallViewers: {
    name: 'Saw a paywall',
    kind: 'count',
    means: 'Users with a run in which a paywall was presented.',
  },
  purchases: {
    name: 'Purchases',
    kind: 'count',
    means: 'Users with a first charge or a trial attributed to one of the runs.',
  },
  conversionRate: {
    name: 'Conversion',
    kind: 'share',
    means: 'Share of the users who saw a paywall and purchased.',
    ratio: ['purchases', 'paywallViewers'],
  },
  flowRevenue: {
    name: 'Revenue',
    kind: 'money',
    means: 'Charges attributed to the runs, less their refunds, whenever they happened.',
  },
  gross: { name: 'Gross', kind: 'money', means: 'Charges, in US dollars at the rate of their day.' },
  refunds: { name: 'Refunds', kind: 'money', means: 'Refunds, less reversed refunds.' },
  chargebacks: { name: 'Chargebacks', kind: 'money', means: 'Disputed amounts, less reinstated ones.' },
  net: { name: 'Net', kind: 'money', means: 'Gross less refunds and chargebacks.' },
  proceeds: { name: 'Proceeds', kind: 'money', means: 'Net less tax and commission, where the provider reports them.' },
  customers: {
    name: 'Customers',
    kind: 'count',
    means: 'Users who paid; an unknown payer counts once per subscription or one-time charge.',
  },
  transactions: { name: 'Transactions', kind: 'count', means: 'Charges above zero.' },
  refunded: { name: 'Refunded', kind: 'count', means: 'Transactions refunded in part or in full.' },
  refundRate: {
    name: 'Refund rate',
    kind: 'share',
    means: 'Share of the transactions that were refunded.',
    ratio: ['refunded', 'transactions'],
  },
  mrr: {
    name: 'MRR',
    kind: 'money',
    means: 'Monthly value of the subscriptions that are active at the end of the period.',
  },
  arr: { name: 'ARR', kind: 'money', means: 'Twelve times the MRR.' },
  active: { name: 'Active', kind: 'count', means: 'Paid subscriptions that are not expired, including grace periods.' },
  churned: {
    name: 'Churned',
    kind: 'count',
    means: 'Subscriptions that were active at the start of the period and ended in it.',
  },
  activeAtStart: {
    name: 'Active at the start',
    kind: 'count',
    means: 'Paid subscriptions at the start of the period.',
  },
  churnRate: {
    name: 'Churn',
    kind: 'share',
    means: 'Share of the subscriptions active at the start of the period that ended in it.',
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
