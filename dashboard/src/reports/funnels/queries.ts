import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import type { FunnelInput } from '../../graphql/schema.gen';
import { send } from '../../graphql/send';
import { dependsOn, grainOf, type Place, type Side, scopeOfSide } from '../../scope/scope';
import type { FunnelsView } from './search';

const list = graphql<'Funnels'>(`
  query Funnels($app: ID!) {
    app(id: $app) { funnels(first: 100) { totalCount nodes { id name definition } } }
  }`);

/** The funnels of an app by name. */
export const funnelsQuery = (place: Place) => query(list, [place.app], () => ({ app: place.app }));

const whole = graphql<'Funnel'>(`
  query Funnel($app: ID!, $scope: ScopeInput!, $input: FunnelInput!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      funnel(input: $input) {
        entered converted open rate medianSeconds p90Seconds
        steps {
          name entered fromPrevious fromFirst medianSeconds p90Seconds dropped open nothingNext
          next { kind name count }
        }
      }
    } }
  }`);

type Data = NonNullable<NonNullable<DataOf<'Funnel'>['app']>['productAnalytics']>;

export type Report = NonNullable<Data['funnel']>;

/** How far visitors or sessions came. */
export const funnelQuery = (
  place: Place,
  input: FunnelInput,
  { funnel: _f, split: _s, ...scope }: FunnelsView,
  side: Side = 'shown',
) =>
  query(whole, [place, dependsOn(scope, side), input, side], () => ({
    app: place.app,
    scope: scopeOfSide(place, scope, new Date(), side),
    input,
  }));

const overTime = graphql<'FunnelSeries'>(`
  query FunnelSeries($app: ID!, $scope: ScopeInput!, $input: FunnelInput!, $grain: Grain!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      funnelSeries(input: $input, grain: $grain) { bucket entered converted open rate }
    } }
  }`);

export const seriesQuery = (
  place: Place,
  input: FunnelInput,
  { funnel: _f, split: _s, ...scope }: FunnelsView,
  side: Side = 'shown',
) =>
  query(overTime, [place, dependsOn(scope, side), input, side], () => {
    const now = new Date();
    return { app: place.app, scope: scopeOfSide(place, scope, now, side), input, grain: grainOf(scope, now) };
  });

const byDimension = graphql<'FunnelBreakdown'>(`
  query FunnelBreakdown($app: ID!, $scope: ScopeInput!, $input: FunnelInput!, $dimension: GoalDimension!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      funnelBreakdown(input: $input, dimension: $dimension) {
        rows { value country region entered converted open rate }
        other { value country region entered converted open rate }
      }
    } }
  }`);

export const breakdownQuery = (place: Place, input: FunnelInput, { funnel: _f, split, ...scope }: FunnelsView) =>
  query(byDimension, [place, dependsOn(scope, 'shown'), input, split], () => ({
    app: place.app,
    scope: scopeOfSide(place, scope, new Date(), 'shown'),
    input,
    dimension: split ?? 'ACQUISITION_CHANNEL',
  }));

const lost = graphql<'FunnelVisitors'>(`
  query FunnelVisitors($app: ID!, $scope: ScopeInput!, $input: FunnelInput!, $step: Int!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      funnelVisitors(input: $input, step: $step, outcome: DROPPED, first: 50, orderBy: LAST_SEEN) {
        totalCount nodes { appUserId customUserId country device source lastSeen }
      }
    } }
  }`);

/** The visitors who went no further than a step, counted from one. */
export const droppedQuery = (
  place: Place,
  input: FunnelInput,
  { funnel: _f, split: _s, ...scope }: FunnelsView,
  step: number,
) => ({
  ...query(lost, [place, dependsOn(scope, 'shown'), input, step], () => ({
    app: place.app,
    scope: scopeOfSide(place, scope, new Date(), 'shown'),
    input,
    step,
  })),
  placeholderData: undefined, // of another step
});

const createDocument = graphql<'CreateFunnel'>(`
  mutation CreateFunnel($input: CreateFunnelInput!) { createFunnel(input: $input) { id } }`);
const updateDocument = graphql<'UpdateFunnel'>(`
  mutation UpdateFunnel($input: UpdateFunnelInput!) { updateFunnel(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteFunnel'>(`
  mutation DeleteFunnel($input: DeleteFunnelInput!) { deleteFunnel(input: $input) }`);

/** Reports have the steps in their keys: only the list is another one. */
const changed = () => queryClient.invalidateQueries({ queryKey: ['Funnels'] });

/** Gives back the id of the new one. */
export async function createFunnel(place: Place, name: string, funnel: FunnelInput): Promise<string> {
  const { data } = await send(createDocument, { input: { appId: place.app, name, funnel } });
  await changed();
  return data.createFunnel.id;
}

export async function updateFunnel(id: string, name: string, funnel: FunnelInput): Promise<string> {
  await send(updateDocument, { input: { id, name, funnel } });
  await changed();
  return id;
}

export async function deleteFunnel(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}
