import { Figures } from '../../ui/Figures';
import type { FigureKind } from '../../ui/format';
import type { FlowOverview } from './queries';

type Values = Omit<FlowOverview, 'incomplete'>;
type Shown = { name: string; kind: FigureKind; value: (figures: Values) => number | null; fewer?: boolean };

const shown: Shown[] = [
  { name: 'Starts', kind: 'count', value: ({ starts }) => starts },
  { name: 'Completions', kind: 'count', value: ({ completions }) => completions },
  { name: 'Completion rate', kind: 'share', value: ({ completionRate }) => completionRate },
  { name: 'Time to complete', kind: 'seconds', value: ({ timeToComplete }) => timeToComplete.median, fewer: true },
  { name: 'Saw a paywall', kind: 'count', value: ({ paywallViewers }) => paywallViewers },
  { name: 'Purchases', kind: 'count', value: ({ purchases }) => purchases },
  { name: 'Conversion', kind: 'share', value: ({ conversionRate }) => conversionRate },
  { name: 'Revenue', kind: 'money', value: ({ revenue }) => revenue },
];

/** The same by the ids of their definitions. */
export const overviewFigures = (overview: FlowOverview | null | undefined) =>
  overview
    ? {
        starts: overview.starts,
        completions: overview.completions,
        completionRate: overview.completionRate,
        timeToComplete: overview.timeToComplete.median,
        paywallViewers: overview.paywallViewers,
        purchases: overview.purchases,
        conversionRate: overview.conversionRate,
        flowRevenue: overview.revenue,
      }
    : {};

/** The figures of a flow, against those that they are compared with. */
export function Overview({ overview, compared }: { overview: FlowOverview; compared?: FlowOverview | null }) {
  const figures = shown.map(({ value, ...figure }) => ({
    ...figure,
    value: value(overview),
    ...(compared && { before: value(compared) }),
  }));
  return <Figures figures={figures} />;
}
