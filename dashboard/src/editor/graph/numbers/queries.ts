import { type DataOf, graphql } from '../../../graphql/graphql';
import { query } from '../../../graphql/query';
import { toFlowScope } from '../../../scope/flowScope';
import type { Place } from '../../../scope/scope';

export type FlowPlace = Place & { flow: string };

const newestDocument = graphql<'NewestVersion'>(`
  query NewestVersion($flow: ID!) { flow(id: $flow) { versions(first: 1) { nodes { id number } } } }`);

/** The version of a flow that was published last. Asked anew by whoever turns the numbers on. */
export const newestQuery = (flow: string) => ({
  ...query(newestDocument, [flow], () => ({ flow })),
  placeholderData: undefined,
});

const numbersDocument = graphql<'StepNumbers'>(`
  query StepNumbers($scope: FlowAnalyticsScope!) {
    flowAnalytics(scope: $scope) {
      funnel {
        runs
        steps { id reach people drop }
        exits { from { id isStep } to { id isStep } runs }
        decisions { node case runs }
      }
    }
  }`);

export type Report = NonNullable<NonNullable<DataOf<'StepNumbers'>['flowAnalytics']>['funnel']>;

/** The period of the numbers, as the address of the flow's report says it. */
export const period = '28d';

/** The funnel of one version. */
export const numbersQuery = ({ flow, ...place }: FlowPlace, version: string | undefined) => ({
  ...query(numbersDocument, [place, flow, version], () => ({
    scope: { ...toFlowScope(place, { range: period }, flow, new Date()), versions: version ? [version] : [] },
  })),
  placeholderData: undefined,
  enabled: version !== undefined,
});
