import type { DataOf } from '../graphql/graphql';
import { graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';

const accountDocument = graphql<'Account'>(`
  query Account {
    viewer {
      sessions { id current device address method signedInAt lastSeenAt }
      secondFactor { totpSince recoveryCodesLeft }
    }
  }`);

export const accountQuery = query(accountDocument, 'account', () => ({}));

type Viewer = NonNullable<DataOf<'Account'>['viewer']>;
export type DashboardSession = NonNullable<Viewer['sessions']>[number];
export type SecondFactor = NonNullable<Viewer['secondFactor']>;

/** Asks anew after a change. */
export const accountChanged = () => queryClient.invalidateQueries({ queryKey: [accountDocument.name] });

export const beginTotpDocument = graphql<'BeginTotp'>(`mutation BeginTotp { beginTotp { secret image } }`);

export const confirmTotpDocument = graphql<'ConfirmTotp'>(`
  mutation ConfirmTotp($code: String!) { confirmTotp(input: {code: $code}) { codes } }`);

export const removeTotpDocument = graphql<'RemoveTotp'>(`mutation RemoveTotp { removeTotp { userId } }`);

export const replaceRecoveryCodesDocument = graphql<'ReplaceRecoveryCodes'>(`
  mutation ReplaceRecoveryCodes { replaceRecoveryCodes { codes } }`);

export const endSessionDocument = graphql<'EndSession'>(`
  mutation EndSession($id: ID!) { endSession(input: {id: $id}) }`);

export const endOtherSessionsDocument = graphql<'EndOtherSessions'>(`mutation EndOtherSessions { endOtherSessions }`);

export const changePasswordDocument = graphql<'ChangePassword'>(`
  mutation ChangePassword($current: String!, $next: String!) {
    changePassword(input: {currentPassword: $current, newPassword: $next}) { userId }
  }`);
