import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { dependsOn, type Place, type ScopeSearch, type Side, scopeOfSide } from '../../scope/scope';
import { type Anchor, type PathsView, toPaths } from './search';

const document = graphql<'Paths'>(`
  query Paths($app: ID!, $scope: ScopeInput!, $input: PathsInput!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      paths(input: $input) {
        sessions nodes { node step kind name sessions ended continued } links { from to sessions }
      }
    } }
  }`);

export const pathsQuery = (place: Place, anchor: Anchor | undefined, view: PathsView, side: Side = 'shown') => {
  const { kind: _k, name: _n, direction, steps, nodes, group, ...scope } = view;
  const asked = { direction, steps, nodes, group };
  return {
    ...query(document, [place, dependsOn(scope, side), anchor, asked, side], () => ({
      app: place.app,
      scope: scopeOfSide(place, scope, new Date(), side),
      input: toPaths(anchor!, asked),
    })),
    enabled: anchor !== undefined,
  };
};

const anchors = graphql<'PathAnchors'>(`
  query PathAnchors($app: ID!, $scope: ScopeInput!) {
    app(id: $app) { productAnalytics(scope: $scope) {
      screens(orderBy: VISITORS, ascending: false, first: 200) { nodes { value kind visitors } }
      events(orderBy: VISITORS, ascending: false, first: 50) { nodes { name builtIn visitors } }
    } }
  }`);

/** What paths may begin at, the most frequent first. */
export const anchorsQuery = (place: Place, scope: ScopeSearch) =>
  query(anchors, [place, dependsOn(scope, 'shown')], () => ({
    app: place.app,
    scope: scopeOfSide(place, scope, new Date(), 'shown'),
  }));
