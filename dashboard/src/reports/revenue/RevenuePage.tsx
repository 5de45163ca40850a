import { SegmentedControl } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { LineChart } from '../../charts/LineChart';
import { ValueChart } from '../../charts/ValueChart';
import { ScopeBar } from '../../scope/ScopeBar';
import { filtersOf } from '../../scope/scope';
import { useChart } from '../../scope/useChart';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { Figure } from '../../ui/Figure';
import { type FigureKind, formatExact } from '../../ui/format';
import { type Column, RankedTable } from '../../ui/RankedTable';
import styles from './RevenuePage.module.css';
import { countryOnly, dimensions, type Revenue, revenueQuery, revenueRoute } from './revenue';

const names: Record<(typeof dimensions)[number], string> = {
  PROVIDER: 'Provider',
  STORE: 'Store',
  PRODUCT: 'Product',
  COUNTRY: 'Country',
  PERIOD_LENGTH: 'Period',
  ACQUISITION_CHANNEL: 'Channel',
};

type Row = NonNullable<Revenue['breakdown']>['nodes'][number];

const columns: Column<Row>[] = [
  { id: 'gross', name: 'Gross', kind: 'money', value: ({ totals }) => totals.gross },
  { id: 'refunds', name: 'Refunds', kind: 'money', value: ({ totals }) => totals.refunds },
  { id: 'net', name: 'Net', kind: 'money', value: ({ totals }) => totals.net },
  { id: 'customers', name: 'Customers', kind: 'count', value: ({ totals }) => totals.customers },
  { id: 'active', name: 'Active', kind: 'count', value: ({ subscriptions }) => subscriptions.active },
  { id: 'mrr', name: 'MRR', kind: 'money', value: ({ subscriptions }) => subscriptions.mrr },
  { id: 'trials', name: 'Trials', kind: 'count', value: ({ trials }) => trials.started },
  { id: 'conversion', name: 'Converted', kind: 'share', value: ({ trials }) => trials.conversionRate },
];

/** What billing providers report: what came in, what went back, and what comes every month. */
export function RevenuePage() {
  const search = revenueRoute.useSearch();
  const place = revenueRoute.useParams();
  const navigate = useNavigate({ from: revenueRoute.fullPath });
  const answer = useQuery(revenueQuery(place, search));
  const revenue = answer.data?.data.revenue;
  const chart = useChart(revenue?.series?.length ?? 0);
  const by = search.by ?? 'PRODUCT';
  const change = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false });
  const ignored = filtersOf(search).length - countryOnly(search).length + (search.platform ? 1 : 0);
  return (
    <>
      <ScopeBar title="Revenue" />
      {ignored > 0 && (
        <p className={styles.note}>Money is filtered by country alone: the other filters are left out here.</p>
      )}
      <Card
        title="Money"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Refunds count"
            value={search.basis ?? 'event'}
            onChange={(basis) => change({ basis: basis === 'charge' ? 'charge' : undefined })}
            data={[
              { value: 'event', label: 'Refunds on their day' },
              { value: 'charge', label: 'Refunds on the charge’s day' },
            ]}
          />
        }
        answer={answer}
        part={({ revenue }) => revenue?.totals}
        path="revenue.totals"
        waiting={{ height: 330 }}
      >
        {(totals) => (
          <>
            <Figures
              figures={[
                ['Net', totals.net, 'money'],
                ['Gross', totals.gross, 'money'],
                ['Refunds', totals.refunds, 'money'],
                ['Chargebacks', totals.chargebacks, 'money'],
                ['Proceeds', totals.proceeds, 'money'],
                ['Customers', totals.customers, 'count'],
                ['Refund rate', totals.refundRate, 'share'],
              ]}
            />
            {revenue?.series && (
              <ValueChart
                title="Revenue over time"
                kind="money"
                nameOf={(name) => name}
                {...chart}
                series={(['net', 'new', 'renewal'] as const).map((part) => ({
                  value: { net: 'Net', new: 'New', renewal: 'Renewals' }[part],
                  points: revenue.series!.map(({ bucket, totals }) => ({ bucket, value: totals[part] })),
                }))}
              />
            )}
            {(totals.unconverted > 0 || totals.withoutPersonRows > 0) && (
              <p className={styles.beside}>
                Not in these amounts: {formatExact(totals.unconverted, 'count')} rows without a rate. Of nobody known:{' '}
                {formatExact(totals.withoutPersonRows, 'count')} rows, {formatExact(totals.withoutPerson, 'money')}.
              </p>
            )}
          </>
        )}
      </Card>
      <div className={styles.gap} />
      <Card
        title="Subscriptions"
        answer={answer}
        part={({ revenue }) => revenue?.subscriptions}
        path="revenue.subscriptions"
        waiting={{ height: 330 }}
      >
        {({ state, churnRate, trials, movement }) => (
          <>
            <Figures
              figures={[
                ['MRR', state.mrr, 'money'],
                ['ARR', state.arr, 'money'],
                ['Active', state.active, 'count'],
                ['In trial', state.trials, 'count'],
                ['Trials converted', trials.conversionRate, 'share'],
                ['Churn', churnRate, 'share'],
                ['MRR gained', movement.new + movement.reactivation + movement.expansion, 'money'],
                ['MRR lost', movement.churn + movement.contraction, 'money'],
              ]}
            />
            {revenue?.subscriptionSeries && (
              <LineChart
                title="Monthly recurring revenue over time"
                kind="money"
                {...chart}
                lines={[
                  {
                    name: 'MRR',
                    points: revenue.subscriptionSeries.map(({ bucket, state }) => ({ bucket, value: state.mrr })),
                  },
                ]}
              />
            )}
          </>
        )}
      </Card>
      <div className={styles.gap} />
      <Card
        title="By"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="By"
            value={by}
            onChange={(value) => change({ by: value as typeof by })}
            data={dimensions.map((value) => ({ value, label: names[value] }))}
          />
        }
        answer={answer}
        part={({ revenue }) => revenue?.breakdown}
        path="revenue.breakdown"
        waiting={{ rows: 6 }}
      >
        {({ nodes }) => (
          <RankedTable
            name={names[by]}
            rows={nodes}
            columns={columns}
            keyOf={({ value }) => value}
            label={({ value }) => (by === 'COUNTRY' ? valueName('country', value) : value || '(none)')}
          />
        )}
      </Card>
    </>
  );
}

function Figures({ figures }: { figures: readonly (readonly [string, number | null, FigureKind])[] }) {
  return (
    <dl className={styles.figures}>
      {figures.map(([name, value, kind]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>
            <Figure value={value} kind={kind} />
          </dd>
        </div>
      ))}
    </dl>
  );
}
