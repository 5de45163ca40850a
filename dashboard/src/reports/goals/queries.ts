import { graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import type { GoalConditionInput } from '../../graphql/schema.gen';
import { send } from '../../graphql/send';
import { dependsOn, grainOf, type Place, type Side, scopeOfSide } from '../../scope/scope';
import { tableArguments } from '../../scope/table';
import type { GoalsView } from './search';

const document = graphql<'Goals'>(`
  query Goals(
    $app: ID!, $scope: ScopeInput!, $orderBy: GoalMetric!, $ascending: Boolean!, $first: Int!, $search: String
  ) {
    app(id: $app) { productAnalytics(scope: $scope) {
      goals(orderBy: $orderBy, ascending: $ascending, first: $first, search: $search) {
        totalCount nodes { goalId name converters conversions rate revenue }
      }
    } }
  }`);

export const goalsQuery = (
  place: Place,
  { goal: _g, split: _s, by, order, q, rows, hide: _h, ...scope }: GoalsView,
  side: Side = 'shown',
) =>
  query(document, [place, dependsOn(scope, side), by, order, q, rows, side], () => ({
    app: place.app,
    scope: scopeOfSide(place, scope, new Date(), side),
    ...tableArguments({ by, order, q, rows }, 'CONVERTERS', side),
  }));

const one = graphql<'Goal'>(`
  query Goal($app: ID!, $scope: ScopeInput!, $goal: ID!, $grain: Grain!, $dimension: GoalDimension!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      goalSeries(goalId: $goal, grain: $grain) { bucket visitors converters conversions rate revenue }
      goalBreakdown(goalId: $goal, dimension: $dimension, first: 20) {
        totalCount nodes { value country region visitors converters conversions rate revenue }
      }
    } }
  }`);

/** A goal over time and by a dimension. */
export const goalQuery = (
  place: Place,
  { goal, split, by: _b, order: _o, q: _q, rows: _r, hide: _h, ...scope }: GoalsView & { goal: string },
  side: Side = 'shown',
) =>
  query(one, [place, dependsOn(scope, side), goal, split, side], () => {
    const now = new Date();
    return {
      app: place.app,
      scope: scopeOfSide(place, scope, now, side),
      goal,
      grain: grainOf(scope, now),
      dimension: split ?? 'ACQUISITION_CHANNEL',
    };
  });

const createDocument = graphql<'CreateGoal'>(`
  mutation CreateGoal($input: CreateGoalInput!) { createGoal(input: $input) { id } }`);
const updateDocument = graphql<'UpdateGoal'>(`
  mutation UpdateGoal($input: UpdateGoalInput!) { updateGoal(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteGoal'>(`
  mutation DeleteGoal($input: DeleteGoalInput!) { deleteGoal(input: $input) }`);

const changed = () =>
  Promise.all(['Goals', 'Goal', 'Conditions'].map((name) => queryClient.invalidateQueries({ queryKey: [name] })));

export async function createGoal(place: Place, name: string, condition: GoalConditionInput) {
  await send(createDocument, { input: { appId: place.app, name, condition } });
  await changed();
}

export async function updateGoal(id: string, name: string, condition: GoalConditionInput) {
  await send(updateDocument, { input: { id, name, condition } });
  await changed();
}

export async function deleteGoal(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}
