import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';

const document = graphql<'Settings'>(`
  query Settings($app: ID!, $workspace: ID!) {
    app(id: $app) {
      id name allowedOrigins ignoreBots completionWindowDays purchaseWindowDays lapseMinutes
      retention { kind days }
      environments {
        kind publishableKeys(includeRevoked: true, first: 20) { nodes { id key createdAt revokedAt } }
        identityProof { mode secrets { createdAt } days { day proved missing wrong } }
      }
    }
    workspace(id: $workspace) {
      id name signInRule
      plan { key name }
      usage { month liveUsers liveUsersLimit events apps appsLimit experiments pause graceDaysLeft
        days { day liveUsers newLiveUsers events } byApp { appId name liveUsers events }
      }
      notificationMail { sends address confirmed kinds }
      members(first: 200) { nodes { id role user { id name email } } }
      invitations(first: 200) { nodes { id email role expiresAt } }
      apiKeys(first: 200) { nodes { id name lastFour clientHost app { name } createdAt lastUsedAt revokedAt scopes user { name email } } }
    }
  }`);

type Data = DataOf<'Settings'>;

export type SettingsApp = NonNullable<Data['app']>;

export type SettingsWorkspace = NonNullable<Data['workspace']>;

export type NotificationMail = NonNullable<SettingsWorkspace['notificationMail']>;

export const settingsQuery = (app: string, workspace: string) =>
  query(document, [app, workspace], () => ({ app, workspace }));

export const setSignInRuleDocument = graphql<'SetSignInRule'>(`
  mutation SetSignInRule($workspace: ID!, $rule: SignInRule!) {
    setSignInRule(input: {workspaceId: $workspace, rule: $rule}) { id }
  }`);

export const inviteDocument = graphql<'Invite'>(`
  mutation Invite($workspace: ID!, $email: String!, $role: Role!) {
    inviteMember(input: {workspaceId: $workspace, email: $email, role: $role}) { setupToken }
  }`);

export const revokeInvitationDocument = graphql<'RevokeInvitation'>(`
  mutation RevokeInvitation($id: ID!) { revokeInvitation(input: {id: $id}) }`);

export const changeRoleDocument = graphql<'ChangeRole'>(`
  mutation ChangeRole($workspace: ID!, $user: ID!, $role: Role!) {
    changeMemberRole(input: {workspaceId: $workspace, userId: $user, role: $role}) { id }
  }`);

export const removeMemberDocument = graphql<'RemoveMember'>(`
  mutation RemoveMember($workspace: ID!, $user: ID!) { removeMember(input: {workspaceId: $workspace, userId: $user}) }`);

export const transferDocument = graphql<'TransferOwnership'>(`
  mutation TransferOwnership($workspace: ID!, $user: ID!) {
    transferOwnership(input: {workspaceId: $workspace, userId: $user}) { id role }
  }`);

export const setNotificationMailDocument = graphql<'SetNotificationMail'>(`
  mutation SetNotificationMail($workspace: ID!, $kinds: [NotificationKind!]!) {
    setNotificationMail(input: {workspaceId: $workspace, kinds: $kinds}) { kinds }
  }`);

export const confirmMailDocument = graphql<'ConfirmMail'>(`mutation ConfirmMail { sendMailConfirmation }`);

export const testMailDocument = graphql<'TestMail'>(`
  mutation TestMail($workspace: ID!) { sendTestMail(input: {workspaceId: $workspace}) { accepted reason } }`);

export const rotateDocument = graphql<'RotateKey'>(`
  mutation RotateKey($app: ID!, $environment: EnvironmentKind!) {
    rotatePublishableKey(input: {appId: $app, environment: $environment}) { id key }
  }`);

export const revokeDocument = graphql<'RevokeKey'>(`
  mutation RevokeKey($id: ID!) { revokePublishableKey(input: {id: $id}) { id } }`);

export const setProofDocument = graphql<'SetIdentityProof'>(`
  mutation SetIdentityProof($app: ID!, $environment: EnvironmentKind!, $mode: IdentityProofMode!) {
    setIdentityProof(input: {appId: $app, environment: $environment, mode: $mode}) { mode }
  }`);

export const rotateIdentityDocument = graphql<'RotateIdentitySecret'>(`
  mutation RotateIdentitySecret($app: ID!, $environment: EnvironmentKind!) {
    rotateIdentitySecret(input: {appId: $app, environment: $environment}) { secret }
  }`);

export const retireIdentityDocument = graphql<'RetireIdentitySecret'>(`
  mutation RetireIdentitySecret($app: ID!, $environment: EnvironmentKind!) {
    retireIdentitySecret(input: {appId: $app, environment: $environment}) { mode }
  }`);

export const createApiKeyDocument = graphql<'CreateApiKey'>(`
  mutation CreateApiKey($workspace: ID!, $name: String!, $scopes: [Capability!]!, $app: ID) {
    createApiKey(input: {workspaceId: $workspace, name: $name, scopes: $scopes, appId: $app}) { secret }
  }`);

export const revokeApiKeyDocument = graphql<'RevokeApiKey'>(`
  mutation RevokeApiKey($id: ID!) { revokeApiKey(input: {id: $id}) { id } }`);

export const updateAppDocument = graphql<'UpdateApp'>(`
  mutation UpdateApp($input: UpdateAppInput!) { updateApp(input: $input) { id } }`);

export const setRetentionDocument = graphql<'SetRetention'>(`
  mutation SetRetention($input: SetRetentionInput!) { setRetention(input: $input) { id } }`);

const sqlDocument = graphql<'SqlAccess'>(`
  query SqlAccess($workspace: ID!) {
    workspace(id: $workspace) {
      sqlRoles { id name appId environment rotatedAt }
      sqlViews { name columns { name type } }
    }
  }`);

export type SqlRole = NonNullable<NonNullable<DataOf<'SqlAccess'>['workspace']>['sqlRoles']>[number];

export const sqlQuery = (workspace: string) => query(sqlDocument, [workspace], () => ({ workspace }));

export const sqlChanged = () => queryClient.invalidateQueries({ queryKey: ['SqlAccess'] });

export const createSqlRoleDocument = graphql<'CreateSqlRole'>(`
  mutation CreateSqlRole($workspace: ID!, $app: ID, $environment: EnvironmentKind!) {
    createSqlRole(input: {workspaceId: $workspace, appId: $app, environment: $environment}) { url }
  }`);

export const rotateSqlRoleDocument = graphql<'RotateSqlRole'>(`
  mutation RotateSqlRole($id: ID!) { rotateSqlRole(input: {id: $id}) { url } }`);

export const dropSqlRoleDocument = graphql<'DropSqlRole'>(`
  mutation DropSqlRole($id: ID!) { dropSqlRole(input: {id: $id}) }`);

/** Asks for the settings anew after a change of them. */
export const settingsChanged = () => queryClient.invalidateQueries({ queryKey: ['Settings'] });

export const auditLogDocument = graphql<'AuditLog'>(`
  query AuditLog($workspace: ID!, $filter: AuditFilter!, $after: String) {
    workspace(id: $workspace) { auditLog(filter: $filter, first: 100, after: $after) {
      totalCount nodes { id createdAt action subject detail user { id name email } apiKeyId names { id name } }
      pageInfo { hasNextPage endCursor }
    } }
  }`);

export const revenueSourcesDocument = graphql<'RevenueSources'>(`
  query RevenueSources($app: ID!) { app(id: $app) { revenueSources {
    id provider name stores path archivedAt lastDeliveryAt lastError lastErrorAt secrets { id lastFour createdAt }
  } } }`);

export const createRevenueSourceDocument = graphql<'CreateRevenueSource'>(`
  mutation CreateRevenueSource($app: ID!, $provider: RevenueProvider!, $name: String!) {
    createRevenueSource(input: {appId: $app, provider: $provider, name: $name}) { source { id } secret }
  }`);

export const addRevenueSecretDocument = graphql<'AddRevenueSecret'>(`
  mutation AddRevenueSecret($id: ID!, $secret: String) {
    addRevenueSecret(input: {id: $id, secret: $secret}) { secret }
  }`);

export const removeRevenueSecretDocument = graphql<'RemoveRevenueSecret'>(`
  mutation RemoveRevenueSecret($id: ID!, $secret: ID!) { removeRevenueSecret(id: $id, secretId: $secret) { id } }`);

export const testRevenueSourceDocument = graphql<'TestRevenueSource'>(`
  mutation TestRevenueSource($id: ID!) {
    testRevenueSource(id: $id) { accepted status state reason milliseconds }
  }`);

export const archiveRevenueSourceDocument = graphql<'ArchiveRevenueSource'>(`
  mutation ArchiveRevenueSource($id: ID!) { archiveRevenueSource(id: $id) { id } }`);

export type TestedSource = DataOf<'TestRevenueSource'>['testRevenueSource'];

export type RevenueSource = NonNullable<DataOf<'RevenueSources'>['app']>['revenueSources'][number];

export const revenueSourcesChanged = () => queryClient.invalidateQueries({ queryKey: ['RevenueSources'] });

export const unmappedDocument = graphql<'UnmappedRevenue'>(`
  query UnmappedRevenue($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) { unmappedRevenue(environment: $environment, first: 50) {
      nodes { provider subject productId store rows amount unconverted lastAt personIds } after
    } }
  }`);

export const mapRevenueDocument = graphql<'MapRevenue'>(`
  mutation MapRevenue($input: MapRevenueInput!) { mapRevenue(input: $input) }`);

export type UnmappedRow = NonNullable<DataOf<'UnmappedRevenue'>['app']>['unmappedRevenue']['nodes'][number];

const reportsDocument = graphql<'ScheduledReports'>(`
  query ScheduledReports($app: ID!) {
    app(id: $app) { scheduledReports {
      id environment frequency timeZone destination slackUrl active nextAt createdBy own last { state reason at }
    } }
  }`);

export type ScheduledReport = NonNullable<NonNullable<DataOf<'ScheduledReports'>['app']>['scheduledReports']>[number];

export const reportsQuery = (app: string) => query(reportsDocument, [app], () => ({ app }));

/** Asks for the scheduled reports anew after a change of them. */
export const reportsChanged = () => queryClient.invalidateQueries({ queryKey: ['ScheduledReports'] });

const reportPreviewDocument = graphql<'ScheduledReportPreview'>(`
  query ScheduledReportPreview(
    $app: ID!, $environment: EnvironmentKind!, $frequency: ReportFrequency!, $timeZone: String!
  ) {
    app(id: $app) {
      scheduledReportPreview(environment: $environment, frequency: $frequency, timeZone: $timeZone) { subject html text }
    }
  }`);

export const reportPreviewQuery = (
  app: string,
  chosen: Pick<ScheduledReport, 'environment' | 'frequency' | 'timeZone'>,
) =>
  query(reportPreviewDocument, [app, chosen.environment, chosen.frequency, chosen.timeZone], () => ({
    app,
    environment: chosen.environment,
    frequency: chosen.frequency,
    timeZone: chosen.timeZone,
  }));

export const createReportDocument = graphql<'CreateScheduledReport'>(`
  mutation CreateScheduledReport($input: CreateScheduledReportInput!) { createScheduledReport(input: $input) { id } }`);

export const updateReportDocument = graphql<'UpdateScheduledReport'>(`
  mutation UpdateScheduledReport($input: UpdateScheduledReportInput!) {
    updateScheduledReport(input: $input) { id active }
  }`);

export const deleteReportDocument = graphql<'DeleteScheduledReport'>(`
  mutation DeleteScheduledReport($id: ID!) { deleteScheduledReport(input: {id: $id}) }`);

export const sendReportDocument = graphql<'SendScheduledReport'>(`
  mutation SendScheduledReport($id: ID!) { sendScheduledReport(input: {id: $id}) { accepted reason } }`);
