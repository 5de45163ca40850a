import * as v from 'valibot';
import type { ScopeSearch } from '../../scope/scope';

export const metrics = [
  'visitors',
  'sessions',
  'views',
  'events',
  'newVisitors',
  'bounceRate',
  'averageSessionSeconds',
  'viewsPerSession',
  'revenue',
] as const;

export const homeSearch = v.object({ metric: v.optional(v.fallback(v.optional(v.picklist(metrics)), undefined)) });

/** The scope's part of a page's search: another metric asks nothing anew. */
export const scopeOf = ({ metric: _, ...search }: ScopeSearch & v.InferOutput<typeof homeSearch>): ScopeSearch =>
  search;
