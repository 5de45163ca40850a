import { Skeleton } from '@mantine/core';
import type { UseQueryResult } from '@tanstack/react-query';
import { lazy, Suspense } from 'react';
import type { Answer } from '../../graphql/send';
import { breakdownColumns, sessionFigures, sessionMetricNames } from '../../scope/breakdown';
import { withRow } from '../../scope/filters';
import { useView } from '../../scope/useView';
import { Card } from '../../ui/Card';
import type { BreakdownView } from './search';

const CountryMap = lazy(async () => ({ default: (await import('../../charts/CountryMap')).CountryMap }));

type Props = { view: BreakdownView<string>; answer: UseQueryResult<Answer<'Locations'>> };

/** The figure that the table is sorted by, on the map. A country that is clicked becomes a filter. */
export function LocationsMap({ view, answer }: Props) {
  const { filters, setFilters } = useView();
  const sort = view.by ?? 'VISITORS';
  const { name, kind } = sessionMetricNames[sort];
  const figureOf = breakdownColumns.find(({ id }) => id === sort)!.value;
  const title = `${name} on the map`;
  return (
    <Card
      title={title}
      answer={answer}
      part={({ app }) => app?.productAnalytics?.map}
      path="app.productAnalytics.map"
      figures={() => sessionFigures}
      waiting={{ height: 460 }}
    >
      {({ nodes }) => (
        <Suspense fallback={<Skeleton height={460} />}>
          <CountryMap
            title={title}
            kind={kind}
            values={new Map(nodes.map((row) => [row.value, figureOf(row) ?? 0]))}
            pick={(code, exclude) => setFilters(withRow(filters, 'country', code, exclude))}
          />
        </Suspense>
      )}
    </Card>
  );
}
