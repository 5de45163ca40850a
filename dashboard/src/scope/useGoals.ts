import { useQuery } from '@tanstack/react-query';
import { conditionsQuery } from '../conditions/queries';
import type { Filter } from './filters';
import { type Goal, goalName } from './goals';
import type { Place } from './scope';
import { useView } from './useView';
import { valueName } from './valueName';

/** The goals of the app, read where a filter names one. */
export function useGoals(place: Place, filters: readonly Filter[]): readonly Goal[] {
  const named = filters.some(({ dimension }) => dimension === 'goal');
  return useQuery({ ...conditionsQuery(place), enabled: named }).data?.data.app?.goals?.nodes ?? [];
}

/** Values of filters in words, goals by their names. */
export function useValueNames(filters: readonly Filter[]): (dimension: string, value: string) => string {
  const goals = useGoals(useView().place, filters);
  return (dimension, value) => (dimension === 'goal' ? goalName(goals, value) : valueName(dimension, value));
}
