import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import { toFlowScope } from '../../scope/flowScope';
import type { Place, ScopeSearch } from '../../scope/scope';
import type { FlowsView } from './search';

const document = graphql<'Flows'>(`
  query Flows($app: ID!, $environment: EnvironmentKind!, $scope: AppFlowScope!, $archived: Boolean!) {
    app(id: $app) {
      flows(includeArchived: $archived, first: 200) { nodes {
        id name archivedAt updatedAt draftRevision versions(first: 1) { totalCount nodes { id number label createdAt } }
      } totalCount }
      environment(kind: $environment) { channels(first: 200) { nodes {
        id name version { id flow { id } } experiment { id name variants { version { flow { id } } } }
      } } }
      appFlowOverview(scope: $scope, first: 200) { nodes { flowId starts completions completionRate purchases revenue } }
    }
  }`);

type App = NonNullable<DataOf<'Flows'>['app']>;

export type FlowRow = NonNullable<App['flows']>['nodes'][number];

/** A flow with what is said of it: its figures, the channels that serve it, and the address of its page. */
export type Listed = {
  flow: FlowRow;
  figures: NonNullable<App['appFlowOverview']>['nodes'][number] | undefined;
  serving: readonly { id: string; name: string }[];
  to: { params: Place & { flow: string }; search: ScopeSearch };
};

export function stateOf({ archivedAt, versions }: FlowRow, serving: Listed['serving']) {
  if (archivedAt) return { kind: 'archived', words: 'archived' };
  if (serving.length > 0) return { kind: 'served', words: 'live' };
  return versions.nodes.length > 0 ? { kind: 'published', words: 'published' } : { kind: 'draft', words: 'draft' };
}

export const flowsQuery = (place: Place, { archived, as: _, ...scope }: FlowsView) =>
  query(document, [place, scope, archived], () => {
    const { flowId: _, ...rest } = toFlowScope(place, scope, '', new Date());
    return { app: place.app, environment: rest.environment ?? 'LIVE', scope: rest, archived: archived === 'yes' };
  });

export const createFlowDocument = graphql<'CreateFlow'>(`
  mutation CreateFlow($app: ID!, $name: String!, $manifest: JSON, $template: FlowTemplateInput) {
    createFlow(input: {appId: $app, name: $name, manifest: $manifest, template: $template}) { id }
  }`);

const startDocument = graphql<'FlowToStart'>(`query FlowToStart($flow: ID!) { flow(id: $flow) { name draft } }`);

/** A flow that is started with content, and what it has. */
export const startQuery = (flow: string) => query(startDocument, [flow], () => ({ flow }));

export const thumbnailDocument = graphql<'FlowThumbnail'>(`query FlowThumbnail($id: ID!) { flow(id: $id) { draft } }`);
