import { graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { toFlowScope } from '../scope/flowScope';
import { type Place, type ScopeSearch, toScope } from '../scope/scope';

const list = graphql<'Conditions'>(`
  query Conditions($app: ID!) {
    app(id: $app) {
      goals(first: 100) { nodes { id name condition } }
      flows(first: 200) { nodes { id name } }
    }
  }`);

/** What the goals of an app are, and the flows that they may be about. */
export const conditionsQuery = (place: Place) => query(list, [place.app], () => ({ app: place.app }));

const there = graphql<'ConditionSuggestions'>(`
  query ConditionSuggestions($app: ID!, $scope: ScopeInput!, $flows: AppFlowScope!) {
    app(id: $app) { appFlowOverview(scope: $flows, first: 200, orderBy: RUNS) { nodes { flowId } } productAnalytics(scope: $scope) {
      events(orderBy: VISITORS, ascending: false, first: 50) { nodes { name visitors builtIn } }
      screens(orderBy: VISITORS, ascending: false, first: 200) { nodes { value kind visitors } }
    } }
  }`);

/** What happened in the range, as conditions could ask for it. */
export const suggestionsQuery = (place: Place, scope: ScopeSearch) =>
  query(there, [place, scope], () => {
    const now = new Date();
    const { flowId: _, ...flows } = toFlowScope(place, scope, '', now);
    return { app: place.app, scope: toScope(place, scope, now), flows };
  });

const stepsDocument = graphql<'ConditionSteps'>(`
  query ConditionSteps($scope: FlowAnalyticsScope!) {
    flowAnalytics(scope: $scope) { funnel { steps { id name } } }
  }`);

/** The steps of a flow that runs of the range could reach. */
export const stepsQuery = (place: Place, { range, from, to }: ScopeSearch, flow: string | undefined) => ({
  ...query(stepsDocument, [place, { range, from, to }, flow], () => ({
    scope: toFlowScope(place, { range, from, to }, flow ?? '', new Date()),
  })),
  placeholderData: undefined, // of another flow
  enabled: Boolean(flow),
});
