import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import { appRoute } from '../app/routes';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';

const document = graphql<'Settings'>(`
  query Settings($app: ID!, $workspace: ID!) {
    app(id: $app) {
      id name
      environments { kind publishableKeys(includeRevoked: true, first: 20) { nodes { id key createdAt revokedAt } } }
    }
    workspace(id: $workspace) {
      id name
      plan { key name }
      usage { month liveUsers liveUsersLimit events apps appsLimit experiments pause graceDaysLeft }
      members(first: 200) { nodes { id role user { id name email } } }
      invitations(first: 200) { nodes { id email role expiresAt } }
      apiKeys(first: 200) { nodes { id name lastFour createdAt lastUsedAt revokedAt scopes user { name email } } }
      auditLog(first: 50) { nodes { id createdAt action subject user { name email } } }
    }
  }`);

type Data = DataOf<'Settings'>;
export type SettingsApp = NonNullable<Data['app']>;
export type SettingsWorkspace = NonNullable<Data['workspace']>;

export const settingsQuery = (app: string, workspace: string) =>
  query(document, [app, workspace], () => ({ app, workspace }));

export const inviteDocument = graphql<'Invite'>(`
  mutation Invite($workspace: ID!, $email: String!, $role: Role!) {
    inviteMember(input: {workspaceId: $workspace, email: $email, role: $role}) { setupToken }
  }`);

export const rotateDocument = graphql<'RotateKey'>(`
  mutation RotateKey($app: ID!, $environment: EnvironmentKind!) {
    rotatePublishableKey(input: {appId: $app, environment: $environment}) { id key }
  }`);

export const revokeDocument = graphql<'RevokeKey'>(`
  mutation RevokeKey($id: ID!) { revokePublishableKey(input: {id: $id}) { id } }`);

/** Asks for the settings anew after a change of them. */
export const settingsChanged = () => queryClient.invalidateQueries({ queryKey: ['Settings'] });

export const settingsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'settings',
  component: lazyRouteComponent(() => import('./SettingsPage'), 'SettingsPage'),
});
