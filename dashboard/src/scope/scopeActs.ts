import { useMemo } from 'react';
import { type Act, useActs } from '../app/acts';
import { neighbour, periodNames, periods } from './range';
import { rangeOf, zoneOf } from './scope';
import { useView } from './useView';

/** Ranges and comparison by key, as people know them from other dashboards. */
export function useScopeActs() {
  const { search, change, setFilters, filters } = useView();
  const acts = useMemo<Act[]>(() => {
    const range = periods
      .filter((period) => period !== 'custom')
      .map((period) => ({
        id: `range-${period}`,
        name: periodNames[period].name,
        group: 'Range',
        keys: periodNames[period].key,
        run: () => change({ range: period, from: undefined, to: undefined }),
      }));
    const beside = (side: -1 | 1) => {
      const days = neighbour(rangeOf(search, new Date()), zoneOf(search), side);
      if (Date.parse(days.from) <= Date.now()) change({ range: 'custom', ...days });
    };
    return [
      ...range,
      { id: 'range-before', name: 'Previous period', group: 'Range', keys: 'ArrowLeft', run: () => beside(-1) },
      { id: 'range-after', name: 'Next period', group: 'Range', keys: 'ArrowRight', run: () => beside(1) },
      {
        id: 'compare',
        name: search.compare === 'none' ? 'Compare with previous period' : 'Stop comparing',
        group: 'Range',
        keys: 'x',
        run: () => change({ compare: search.compare === 'none' ? undefined : 'none' }),
      },
      {
        id: 'filters-clear',
        name: 'Clear filters',
        group: 'Filters',
        keys: 'Escape',
        run: () => filters.length > 0 && setFilters([]),
      },
      {
        id: 'filters-last',
        name: 'Remove last filter',
        group: 'Filters',
        keys: 'Backspace',
        run: () => setFilters(filters.slice(0, -1)),
      },
    ];
  }, [search, change, setFilters, filters]);
  useActs(acts);
}
