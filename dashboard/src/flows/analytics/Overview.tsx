import { Change, Figure } from '../../ui/Figure';
import type { FigureKind } from '../../ui/format';
import styles from './FlowPage.module.css';
import type { FlowOverview } from './flow';

type Figures = Omit<FlowOverview, 'previous' | 'incomplete'>;
type Shown = { name: string; kind: FigureKind; value: (figures: Figures) => number | null; fewer?: boolean };

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

/** The figures of a flow in the range, against the period before. */
export function Overview({ overview, compared }: { overview: FlowOverview; compared: boolean }) {
  return (
    <dl className={styles.figures}>
      {shown.map(({ name, kind, value, fewer }) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Figure value={value(overview)} kind={kind} />
            {compared && <Change now={value(overview)} before={value(overview.previous)} kind={kind} fewer={fewer} />}
          </dd>
        </div>
      ))}
    </dl>
  );
}
