import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';

const document = graphql<'OAuthRequest'>(`
  query OAuthRequest($token: String!) { oauthRequest(token: $token) { client host scopes declineUrl } }`);

export type OAuthRequest = DataOf<'OAuthRequest'>['oauthRequest'];

export const requestQuery = (token: string) => ({ ...query(document, [token], () => ({ token })), retry: false });

export const approveDocument = graphql<'ApproveOAuthRequest'>(`
  mutation ApproveOAuthRequest($token: String!, $workspace: ID!, $app: ID, $scopes: [Capability!]!) {
    approveOAuthRequest(input: {token: $token, workspaceId: $workspace, appId: $app, scopes: $scopes}) { url }
  }`);
