import { Select } from '@mantine/core';
import { useMemo } from 'react';
import { useActs } from '../app/acts';
import type { Grain } from '../graphql/schema.gen';
import { grainOf, grainsOf, type ScopeSearch } from './scope';
import { useView } from './useView';

const names: Record<Grain, string> = { HOUR: 'Hours', DAY: 'Days', WEEK: 'Weeks', MONTH: 'Months' };

/** Which buckets charts have: as many as can be read, or those that are chosen. */
export function GrainMenu() {
  const { search, change } = useView();
  const now = new Date();
  const grains = grainsOf(search, now);
  const chosen = search.grain?.toUpperCase() as Grain | undefined;
  const shown = grainOf(search, now);
  const usual = names[grainOf({ ...search, grain: undefined }, now)].toLowerCase();
  const next = grains[(grains.indexOf(shown) + 1) % grains.length] ?? shown;
  const choose = (grain: string | null) =>
    change({ grain: (grain?.toLowerCase() || undefined) as ScopeSearch['grain'] });
  useActs(
    useMemo(
      () => [
        {
          id: 'grain',
          name: `Chart by ${names[next].toLowerCase()}`,
          group: 'Range',
          keys: 'i',
          words: 'interval grain bucket',
          run: () => change({ grain: next.toLowerCase() as ScopeSearch['grain'] }),
        },
      ],
      [next, change],
    ),
  );
  return (
    <Select
      size="xs"
      aria-label="Chart by"
      w={128}
      value={chosen && grains.includes(chosen) ? chosen : ''}
      onChange={choose}
      allowDeselect={false}
      data={[
        { value: '', label: `Auto (${usual})` },
        ...grains.map((grain) => ({ value: grain, label: names[grain] })),
      ]}
    />
  );
}
