import { sessionQuery } from '../app/session/session';
import type { DataOf } from '../graphql/graphql';
import { graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';

const accountDocument = graphql<'Account'>(`
  query Account {
    viewer {
      sessions { id current device address method signedInAt lastSeenAt }
      secondFactor { totpSince recoveryCodesLeft passkeys { id name createdAt lastUsedAt cloned } }
      closedWorkspaces { id name rule }
    }
    signInOptions { passkeys provider }
  }`);

export const accountQuery = query(accountDocument, 'account', () => ({}));

type Viewer = NonNullable<DataOf<'Account'>['viewer']>;
export type DashboardSession = NonNullable<Viewer['sessions']>[number];
export type SecondFactor = NonNullable<Viewer['secondFactor']>;
export type Passkey = SecondFactor['passkeys'][number];
export type ClosedWorkspace = Viewer['closedWorkspaces'][number];

/** Asks anew after a change, also for the workspaces that it opens. */
export function accountChanged() {
  queryClient.removeQueries({ queryKey: sessionQuery.queryKey });
  return queryClient.invalidateQueries({ queryKey: [accountDocument.name] });
}

export const beginTotpDocument = graphql<'BeginTotp'>(`mutation BeginTotp { beginTotp { secret image } }`);

export const confirmTotpDocument = graphql<'ConfirmTotp'>(`
  mutation ConfirmTotp($code: String!) { confirmTotp(input: {code: $code}) { codes } }`);

export const removeTotpDocument = graphql<'RemoveTotp'>(`mutation RemoveTotp { removeTotp { userId } }`);

export const replaceRecoveryCodesDocument = graphql<'ReplaceRecoveryCodes'>(`
  mutation ReplaceRecoveryCodes { replaceRecoveryCodes { codes } }`);

export const beginPasskeyDocument = graphql<'BeginPasskey'>(`mutation BeginPasskey { beginPasskey { token options } }`);

export const addPasskeyDocument = graphql<'AddPasskey'>(`
  mutation AddPasskey($token: String!, $name: String!, $credential: JSON!) {
    addPasskey(input: {token: $token, name: $name, credential: $credential}) { id }
  }`);

export const renamePasskeyDocument = graphql<'RenamePasskey'>(`
  mutation RenamePasskey($id: ID!, $name: String!) { renamePasskey(input: {id: $id, name: $name}) { id } }`);

export const removePasskeyDocument = graphql<'RemovePasskey'>(`
  mutation RemovePasskey($id: ID!) { removePasskey(input: {id: $id}) }`);

export const endSessionDocument = graphql<'EndSession'>(`
  mutation EndSession($id: ID!) { endSession(input: {id: $id}) }`);

export const endOtherSessionsDocument = graphql<'EndOtherSessions'>(`mutation EndOtherSessions { endOtherSessions }`);

export const changePasswordDocument = graphql<'ChangePassword'>(`
  mutation ChangePassword($current: String!, $next: String!) {
    changePassword(input: {currentPassword: $current, newPassword: $next}) { userId }
  }`);
