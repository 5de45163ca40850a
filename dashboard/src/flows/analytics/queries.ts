import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { toComparedFlowScope, toFlowScope } from '../../scope/flowScope';
import { grainOf, type Place } from '../../scope/scope';
import type { FlowView } from './search';

/** How many values of a dimension the page asks for at most. */
export const mostCohorts = 200;

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

export const flowQuery = ({ flow, ...place }: FlowPlace, view: FlowView) => {
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
