import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { kindOf, type Place } from '../scope/scope';

const listDocument = graphql<'Experiments'>(`
  query Experiments($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) { experiments(environment: $environment, first: 100) { totalCount nodes {
      id name status startedAt endsAt stoppedAt channel { name } variants { key name weight }
    } } }
  }`);

export const experimentsQuery = ({ app, environment }: Place) =>
  query(listDocument, [app, environment], () => ({ app, environment: kindOf(environment) }));

const resultsDocument = graphql<'ExperimentReport'>(`
  query ExperimentReport($id: ID!, $zone: String!) {
    experiment(id: $id) { name status channel { name } variants { id key name weight version { number flow { name } } } }
    experimentResults(id: $id, timeZone: $zone) {
      verdict arm sentence startedAt endsAt stoppedAt daysLeft peoplePerArm crossed tooManyCrossed notRendered
      exposed { warning enough p people { arm people } }
      culprits { dimension value p }
      metrics {
        metric unit phase
        arms { arm people maturing value interval { low high } }
        comparisons { arm difference interval { low high } lift p chanceToWin verdict sentence }
      }
    }
  }`);

export type Results = NonNullable<DataOf<'ExperimentReport'>['experimentResults']>;
export type Metric = Results['metrics'][number];

export const resultsQuery = (id: string, zone: string) => query(resultsDocument, [id, zone], () => ({ id, zone }));

export const experimentsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'experiments',
  loader: ({ params }) => void queryClient.prefetchQuery(experimentsQuery(params)),
  component: lazyRouteComponent(() => import('./ExperimentsPage'), 'ExperimentsPage'),
});

export const experimentRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'experiments/$experiment',
  component: lazyRouteComponent(() => import('./ExperimentPage'), 'ExperimentPage'),
});
