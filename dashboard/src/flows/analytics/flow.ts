import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../../app/routes';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import type { CohortDimension } from '../../graphql/schema.gen';
import { toComparedFlowScope, toFlowScope } from '../../scope/flowScope';
import { grainOf, type Place, type ScopeSearch } from '../../scope/scope';

export const cohortDimensions = [
  'PLATFORM',
  'LANGUAGE',
  'COUNTRY',
  'VERSION',
  'VARIANT',
  'ACQUISITION_CHANNEL',
  'DEVICE',
] as const satisfies readonly CohortDimension[];

const searchSchema = v.object({
  by: v.optional(v.fallback(v.optional(v.picklist(cohortDimensions)), undefined)),
  /** The run whose replay is open. */
  run: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  metric: v.optional(
    v.fallback(v.optional(v.picklist(['starts', 'completions', 'completionRate', 'purchases', 'revenue'])), undefined),
  ),
});
type View = ScopeSearch & v.InferOutput<typeof searchSchema>;
export type FlowPlace = Place & { flow: string };

const document = graphql<'FlowReport'>(`
  query FlowReport(
    $flow: ID!, $scope: FlowAnalyticsScope!, $compared: FlowAnalyticsScope!, $compare: Boolean!, $grain: Grain!
    $by: CohortDimension!
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
      cohorts(dimension: $by, first: 50) { totalCount nodes { value starts completions completionRate purchases revenue } }
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

export const flowQuery = ({ flow, ...place }: FlowPlace, { by = 'PLATFORM', metric: _, run: __, ...scope }: View) =>
  query(document, [place, flow, scope, by], () => {
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
    };
  });

export const flowRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'flows/$flow',
  validateSearch: searchSchema,
  loaderDeps: ({ search }) => search,
  loader: ({ params, deps }) => void queryClient.prefetchQuery(flowQuery(params, deps)),
  component: lazyRouteComponent(() => import('./FlowPage'), 'FlowPage'),
});
