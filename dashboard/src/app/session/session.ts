import type { DataOf } from '../../graphql/graphql';
import { graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';
import type { Capability } from '../../graphql/schema.gen';

const viewerDocument = graphql<'Session'>(`
  query Session {
    viewer {
      userId email name
      closedWorkspaces { id }
      workspaces(first: 200) { nodes {
        role capabilities
        workspace { id name apps(first: 200) { nodes { id name } } }
      } }
    }
  }`);

/** Who is signed in, with the workspaces and apps that they may enter; null for nobody. */
export type Viewer = NonNullable<DataOf<'Session'>['viewer']>;
export type WorkspaceAccess = Viewer['workspaces']['nodes'][number];
export type AppAccess = { app: { id: string; name: string }; access: WorkspaceAccess };

export const sessionQuery = { ...query(viewerDocument, 'viewer', () => ({})), staleTime: 60_000 };

/** The app of an id with the access to its workspace; undefined when the viewer may not enter it. */
export function findApp(viewer: Viewer, id: string): AppAccess | undefined {
  for (const access of viewer.workspaces.nodes) {
    const app = access.workspace.apps.nodes.find((app) => app.id === id);
    if (app) return { app, access };
  }
  return undefined;
}

/** The app to open first: the last one that was open here, else the first there is. */
export function firstApp(viewer: Viewer, last: string | null): AppAccess | undefined {
  const found = last ? findApp(viewer, last) : undefined;
  if (found) return found;
  const access = viewer.workspaces.nodes.find(({ workspace }) => workspace.apps.nodes.length > 0);
  const app = access?.workspace.apps.nodes[0];
  return access && app && { app, access };
}

export const may = ({ capabilities }: WorkspaceAccess, capability: Capability): boolean =>
  capabilities.includes(capability);
