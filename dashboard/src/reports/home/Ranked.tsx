import type { UseQueryResult } from '@tanstack/react-query';
import { useState } from 'react';
import type { PageAddress } from '../../app/navigation/pages';
import type { DataOf } from '../../graphql/graphql';
import type { Answer } from '../../graphql/send';
import { type Dimension, withRow } from '../../scope/filters';
import { Nobody } from '../../scope/Nobody';
import { useView } from '../../scope/useView';
import { valueName } from '../../scope/valueName';
import { Card } from '../../ui/Card';
import { type Column, RankedTable } from '../../ui/RankedTable';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { More } from './More';

type Overview = NonNullable<NonNullable<NonNullable<DataOf<'Home'>['app']>['productAnalytics']>['overview']>;
type Row = { value: string; visitors: number; other: number };
type List = {
  name: string;
  /** Its name in the answer, and the filter that a row is. */
  dimension: Extract<keyof Overview, Dimension>;
  columns: Column<Row>[];
  rows: (overview: Overview) => Row[];
};

const people: Column<Row> = { id: 'visitors', name: 'Visitors', kind: 'count', value: ({ visitors }) => visitors };
const column = (name: string, kind: 'count' | 'money'): Column<Row> => ({
  id: 'other',
  name,
  kind,
  value: ({ other }) => other,
});
const byPeople = (other: Column<Row>): Column<Row>[] => [people, other];
const revenue = byPeople(column('Revenue', 'money'));
const byRevenue = (rows: readonly { value: string; visitors: number; revenue: number }[]) =>
  rows.map(({ value, visitors, revenue }) => ({ value, visitors, other: revenue }));

/** The ranked lists of the page: what each card's tabs show. */
const groups: Record<
  'SOURCES' | 'PAGES' | 'LOCATIONS' | 'DEVICES' | 'EVENTS',
  { title: string; more: PageAddress; lists: List[] }
> = {
  SOURCES: {
    title: 'Sources',
    more: '/apps/$app/$environment/acquisition',
    lists: [
      { name: 'Channel', dimension: 'channel', columns: revenue, rows: ({ channel }) => byRevenue(channel) },
      { name: 'Source', dimension: 'source', columns: revenue, rows: ({ source }) => byRevenue(source) },
      { name: 'Referrer', dimension: 'referrer', columns: revenue, rows: ({ referrer }) => byRevenue(referrer) },
      { name: 'Campaign', dimension: 'campaign', columns: revenue, rows: ({ campaign }) => byRevenue(campaign) },
    ],
  },
  PAGES: {
    title: 'Pages',
    more: '/apps/$app/$environment/engagement',
    lists: [
      {
        name: 'Page',
        dimension: 'page',
        columns: byPeople(column('Views', 'count')),
        rows: ({ page }) => page.map(({ value, visitors, views }) => ({ value, visitors, other: views })),
      },
      {
        name: 'Entry',
        dimension: 'entry',
        columns: byPeople(column('Sessions', 'count')),
        rows: ({ entry }) => entry.map(({ value, visitors, sessions }) => ({ value, visitors, other: sessions })),
      },
      {
        name: 'Exit',
        dimension: 'exit',
        columns: byPeople(column('Sessions', 'count')),
        rows: ({ exit }) => exit.map(({ value, visitors, sessions }) => ({ value, visitors, other: sessions })),
      },
    ],
  },
  LOCATIONS: {
    title: 'Locations',
    more: '/apps/$app/$environment/locations',
    lists: [{ name: 'Country', dimension: 'country', columns: revenue, rows: ({ country }) => byRevenue(country) }],
  },
  DEVICES: {
    title: 'Devices',
    more: '/apps/$app/$environment/devices',
    lists: [
      { name: 'Device', dimension: 'device', columns: revenue, rows: ({ device }) => byRevenue(device) },
      { name: 'Browser', dimension: 'browser', columns: revenue, rows: ({ browser }) => byRevenue(browser) },
      { name: 'OS', dimension: 'os', columns: revenue, rows: ({ os }) => byRevenue(os) },
    ],
  },
  EVENTS: {
    title: 'Events',
    more: '/apps/$app/$environment/events',
    lists: [
      {
        name: 'Event',
        dimension: 'event',
        columns: [column('Count', 'count'), people], // the server orders events by their times
        rows: ({ event }) => event.map(({ name, visitors, count }) => ({ value: name, visitors, other: count })),
      },
    ],
  },
};

type Props = {
  group: keyof typeof groups;
  answer: UseQueryResult<Answer<'Home'>>;
  part: (data: DataOf<'Home'>) => Overview | null | undefined;
};

/** One card of ranked lists; a click on a row filters the page by it. */
export function Ranked({ group, answer, part }: Props) {
  const { title, more, lists } = groups[group];
  const [shown, setShown] = useState(0);
  const { filters, setFilters } = useView();
  const list = lists[shown]!;
  return (
    <Card
      title={title}
      answer={answer}
      part={part}
      path={`app.productAnalytics.overview.${list.dimension}`}
      waiting={{ rows: 8 }}
      actions={
        lists.length > 1 && (
          <SegmentedControl
            size="xs"
            aria-label={`${title}: list`}
            value={String(shown)}
            onChange={(value) => setShown(Number(value))}
            data={lists.map(({ name }, i) => ({ value: String(i), label: name }))}
          />
        )
      }
      // Whoever came has a channel: where that list has rows, somebody did something else.
      empty={(overview) => {
        if (list.rows(overview).length > 0) return undefined;
        return overview.channel.length > 0 ? <p>No data in this period.</p> : <Nobody />;
      }}
    >
      {(overview) => (
        <>
          <RankedTable
            name={list.name}
            rows={list.rows(overview)}
            columns={list.columns}
            keyOf={({ value }) => value}
            label={({ value }) => valueName(list.dimension, value)}
            pick={({ value }, exclude) => setFilters(withRow(filters, list.dimension, value, exclude))}
          />
          <More to={more} />
        </>
      )}
    </Card>
  );
}
