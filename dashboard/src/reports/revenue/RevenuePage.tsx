import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { comparedLines, LineChart } from '../../charts/LineChart';
import { ValueChart } from '../../charts/ValueChart';
import { ReportTable } from '../../scope/ReportTable';
import { countryOnly } from '../../scope/revenueScope';
import { ScopeBar } from '../../scope/ScopeBar';
import { filtersOf } from '../../scope/scope';
import { useChart } from '../../scope/useChart';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { Figures } from '../../ui/Figures';
import { formatExact } from '../../ui/format';
import type { Column } from '../../ui/RankedTable';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { comparesMoney, mostValues, type Revenue, revenueQuery, type Sort } from './queries';
import styles from './RevenuePage.module.css';
import { dimensions } from './search';

const revenueRoute = getRouteApi('/apps/$app/$environment/revenue');

const names: Record<(typeof dimensions)[number], string> = {
  PROVIDER: 'Provider',
  STORE: 'Store',
  PRODUCT: 'Product',
  COUNTRY: 'Country',
  PERIOD_LENGTH: 'Period',
  ACQUISITION_CHANNEL: 'Channel',
};

type Row = NonNullable<Revenue['breakdown']>['nodes'][number];

const columns: Column<Row, Sort>[] = [
  { id: 'gross', sort: 'gross', name: 'Gross', kind: 'money', value: ({ totals }) => totals.gross },
  { id: 'refunds', sort: 'refunds', name: 'Refunds', kind: 'money', value: ({ totals }) => totals.refunds },
  { id: 'net', sort: 'net', name: 'Net', kind: 'money', value: ({ totals }) => totals.net },
  { id: 'customers', sort: 'customers', name: 'Customers', kind: 'count', value: ({ totals }) => totals.customers },
  { id: 'active', sort: 'active', name: 'Active', kind: 'count', value: ({ subscriptions }) => subscriptions.active },
  { id: 'mrr', sort: 'mrr', name: 'MRR', kind: 'money', value: ({ subscriptions }) => subscriptions.mrr },
  { id: 'trials', sort: 'trials', name: 'Trials', kind: 'count', value: ({ trials }) => trials.started },
  {
    id: 'conversion',
    sort: 'conversion',
    name: 'Converted',
    kind: 'share',
    value: ({ trials }) => trials.conversionRate,
  },
];

/** What billing providers report: what came in, what went back, and what comes every month. */
export function RevenuePage() {
  const search = revenueRoute.useSearch();
  const place = revenueRoute.useParams();
  const navigate = revenueRoute.useNavigate();
  const answer = useQuery(revenueQuery(place, search));
  const revenue = answer.data?.data.revenue;
  const besides = useQuery({ ...revenueQuery(place, search, 'compared'), enabled: comparesMoney(search) });
  const compared = comparesMoney(search) ? besides.data?.data.revenue : undefined;
  const chart = useChart(revenue?.series?.length ?? 0);
  const by = search.by ?? 'PRODUCT';
  const change = (changes: Partial<typeof search>) =>
    void navigate({ search: (before) => ({ ...before, ...changes }), resetScroll: false });
  // The first card says so, once.
  const nothing = revenue != null && isNothing(revenue);
  const ignored =
    filtersOf(search).length - countryOnly(search).length + (search.platform ? 1 : 0) + (search.segment ? 1 : 0);
  return (
    <>
      <ScopeBar title="Revenue" />
      {ignored > 0 && (
        <p className={styles.note}>Revenue is filtered by country only: other filters are ignored here.</p>
      )}
      <Card
        title="Revenue"
        actions={
          <SegmentedControl
            size="xs"
            aria-label="Refunds count"
            value={search.basis ?? 'event'}
            onChange={(basis) => change({ basis: basis === 'charge' ? 'charge' : undefined })}
            data={[
              { value: 'event', label: 'Refunds on refund date' },
              { value: 'charge', label: 'Refunds on charge date' },
            ]}
          />
        }
        answer={answer}
        part={({ revenue }) => revenue?.totals}
        path="revenue.totals"
        beside={['revenue.series']}
        figures={({ net, gross, refunds, chargebacks, proceeds, customers, refundRate, refunded, transactions }) => ({
          net,
          gross,
          refunds,
          chargebacks,
          proceeds,
          customers,
          refundRate,
          refunded,
          transactions,
        })}
        waiting={{ height: 330 }}
        empty={(totals) =>
          hasTotals(totals)
            ? undefined
            : {
                title: 'No revenue in this period',
                why: 'Revenue comes from signed webhooks of Stripe, RevenueCat and Superwall, never from a device.',
                next: (
                  <Link to="/apps/$app/$environment/settings" params={place} search={{ tab: 'money' }}>
                    Connect a billing provider
                  </Link>
                ),
              }
        }
      >
        {(totals) => (
          <>
            <Figures
              figures={[
                { name: 'Net', value: totals.net, before: compared?.totals?.net, kind: 'money' },
                { name: 'Gross', value: totals.gross, before: compared?.totals?.gross, kind: 'money' },
                {
                  name: 'Refunds',
                  value: totals.refunds,
                  before: compared?.totals?.refunds,
                  kind: 'money',
                  fewer: true,
                },
                {
                  name: 'Chargebacks',
                  value: totals.chargebacks,
                  before: compared?.totals?.chargebacks,
                  kind: 'money',
                  fewer: true,
                },
                { name: 'Proceeds', value: totals.proceeds, before: compared?.totals?.proceeds, kind: 'money' },
                { name: 'Customers', value: totals.customers, before: compared?.totals?.customers, kind: 'count' },
                {
                  name: 'Refund rate',
                  value: totals.refundRate,
                  before: compared?.totals?.refundRate,
                  kind: 'share',
                  fewer: true,
                },
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
                compared={
                  compared?.series && [
                    {
                      value: 'Net',
                      points: compared.series.map(({ bucket, totals }) => ({ bucket, value: totals.net })),
                    },
                  ]
                }
              />
            )}
            {(totals.unconverted > 0 || totals.withoutPersonRows > 0) && (
              <p className={styles.beside}>
                Not included: {formatExact(totals.unconverted, 'count')} transactions without an exchange rate. Without
                a known user: {formatExact(totals.withoutPersonRows, 'count')} rows,{' '}
                {formatExact(totals.withoutPerson, 'money')}.
              </p>
            )}
          </>
        )}
      </Card>
      {!nothing && (
        <>
          <div className={styles.gap} />
          <Card
            title="Subscriptions"
            answer={answer}
            part={({ revenue }) => revenue?.subscriptions}
            path="revenue.subscriptions"
            beside={['revenue.subscriptionSeries']}
            figures={({ state: { mrr, arr, active }, churnRate, churned, activeAtStart }) => ({
              mrr,
              arr,
              active,
              churnRate,
              churned,
              activeAtStart,
            })}
            waiting={{ height: 330 }}
          >
            {({ state, churnRate, trials, movement }) => (
              <>
                <Figures
                  figures={[
                    { name: 'MRR', value: state.mrr, kind: 'money' },
                    { name: 'ARR', value: state.arr, kind: 'money' },
                    { name: 'Active', value: state.active, kind: 'count' },
                    { name: 'In trial', value: state.trials, kind: 'count' },
                    { name: 'Trials converted', value: trials.conversionRate, kind: 'share' },
                    { name: 'Churn', value: churnRate, kind: 'share' },
                    {
                      name: 'MRR gained',
                      value: movement.new + movement.reactivation + movement.expansion,
                      kind: 'money',
                    },
                    { name: 'MRR lost', value: movement.churn + movement.contraction, kind: 'money' },
                  ]}
                />
                {revenue?.subscriptionSeries && (
                  <LineChart
                    title="Monthly recurring revenue over time"
                    kind="money"
                    {...chart}
                    lines={comparedLines(
                      'MRR',
                      revenue.subscriptionSeries,
                      ({ state }) => state.mrr,
                      chart.comparedName,
                      compared?.subscriptionSeries,
                    )}
                  />
                )}
              </>
            )}
          </Card>
          <div className={styles.gap} />
          <Card
            title={`By ${names[by].toLowerCase()}`}
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
            figures={({ nodes }) => ({
              gross: nodes[0]?.totals.gross,
              refunds: nodes[0]?.totals.refunds,
              net: nodes[0]?.totals.net,
              customers: nodes[0]?.totals.customers,
              active: nodes[0]?.subscriptions.active,
              mrr: nodes[0]?.subscriptions.mrr,
            })}
            example={({ nodes }) => nodes[0] && `“${valueName(by, nodes[0].value)}”, the first row`}
            waiting={{ rows: 6 }}
          >
            {({ nodes, totalCount }) => (
              <ReportTable
                name={names[by]}
                rows={nodes}
                total={totalCount}
                most={mostValues}
                compared={compared?.breakdown}
                columns={columns}
                keyOf={({ value }) => value}
                label={({ value }) => valueName(by, value)}
                text={({ value }) => value}
                file={`revenue-${names[by].toLowerCase()}`}
                search={{ ...search, by: search.sort }}
                sortParam="sort"
                usual="gross"
                local="all"
              />
            )}
          </Card>
        </>
      )}
    </>
  );
}

const hasTotals = ({ transactions, refunded, unconverted, withoutPersonRows }: NonNullable<Revenue['totals']>) =>
  transactions + refunded + unconverted + withoutPersonRows > 0;

/** Whether nothing came in and nobody subscribed, in the range or before it. */
const isNothing = ({ totals, subscriptions, subscriptionSeries, breakdown }: Revenue): boolean =>
  totals != null &&
  !hasTotals(totals) &&
  subscriptions != null &&
  subscriptions.state.active + subscriptions.state.trials === 0 &&
  breakdown?.totalCount === 0 &&
  (subscriptionSeries ?? []).every(({ state }) => state.mrr === 0);
