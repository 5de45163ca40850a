import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import type { CohortDimension } from '../../graphql/schema.gen';
import { toComparedFlowScope, toFlowScope } from '../../scope/flowScope';
import { grainOf, type Place, type ScopeSearch } from '../../scope/scope';
import { tableSchema } from '../../scope/table';

export const cohortDimensions = [
  'PLATFORM',
  'LANGUAGE',
  'COUNTRY',
  'VERSION',
  'VARIANT',
  'ACQUISITION_CHANNEL',
  'DEVICE',
] as const satisfies readonly CohortDimension[];

const flowMetrics = ['starts', 'completions', 'completionRate', 'purchases', 'revenue'] as const;

/** How many values of a dimension the page asks for at most. */
export const mostCohorts = 200;

const searchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(cohortDimensions)), undefined)),
  /** The run whose replay is open. */
  run: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** The table of cohorts: the column that it is sorted by, and the rest of what tables say. */
  sort: v.optional(v.fallback(v.optional(v.picklist(flowMetrics)), undefined)),
  ...v.omit(tableSchema(flowMetrics), ['by']).entries,
  metric: v.optional(v.fallback(v.optional(v.picklist(flowMetrics)), undefined)),
});
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;
export type FlowPlace = Place & { flow: string };

const document = graphql<'FlowReport'>(`
  query FlowReport(
    $flow: ID!, $scope: FlowAnalyticsScope!, $compared: FlowAnalyticsScope!, $compare: Boolean!, $grain: Grain!
    $by: CohortDimension!, $first: Int!
  ) {
    flow(id: $flow) { name versions(first: 200) { nodes { id number label } } }
    flowAnalytics(scope: $scope) {
      overview {
        starts completions completionRate timeToComplete { median } paywallViewers purchases conversionRate revenue
        revenuePerStart incomplete
      }
      timeseries(grain: $grain) { bucket starts completions completionRate purchases revenue incomplete }
      funnel {
        runs people incomplete
        steps { id name kind reach people fromStart completed skipped drop open medianSeconds }
        arrivals { from { id isStep } to { id isStep } runs }
        exits { from { id isStep } to { id isStep } runs }
      }
      stepDuration { steps { id name visits median p90 } }
      cohorts(dimension: $by, first: $first) { totalCount nodes { value starts completions completionRate purchases revenue } }
    }
    compared: flowAnalytics(scope: $compared) @include(if: $compare) {
      overview {
        starts completions completionRate timeToComplete { median } paywallViewers purchases conversionRate revenue
        revenuePerStart incomplete
      }
      timeseries(grain: $grain) { bucket starts completions completionRate purchases revenue incomplete }
      cohorts(dimension: $by, first: 200) { totalCount nodes { value starts completions completionRate purchases revenue } }
    }
  }`);

type Analytics = NonNullable<DataOf<'FlowReport'>['flowAnalytics']>;
export type Funnel = NonNullable<Analytics['funnel']>;
export type FlowOverview = NonNullable<Analytics['overview']>;

export const flowQuery = ({ flow, ...place }: FlowPlace, view: View) => {
  const { by = 'PLATFORM', rows, metric: _m, run: _r, sort: _s, order: _o, q: _q, hide: _h, ...scope } = view;
  return query(document, [place, flow, scope, by, rows], () => {
    const now = new Date();
    const shown = toFlowScope(place, scope, flow, now);
    const compared = toComparedFlowScope(place, scope, flow, now);
    return {
      flow,
      scope: shown,
      compared: compared ?? shown,
      compare: compared !== undefined,
      grain: grainOf(scope, now),
      by,
      first: rows ? mostCohorts : 50,
    };
  });
};

export const flowRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows/$flow',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(flowQuery(params, deps)),
  component: lazyRouteComponent(() => import('./FlowPage'), 'FlowPage'),
});
