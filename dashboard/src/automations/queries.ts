import { infiniteQueryOptions } from '@tanstack/react-query';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { WebhookState } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import type { SuppressedView } from './search';

const automationDocument = graphql<'Automation'>(`
  query Automation($id: ID!, $app: ID!, $environment: EnvironmentKind!) {
    automation(id: $id) {
      id name environment state draft version createdAt updatedAt
      problems { severity code pointer message }
      versions { number definition publishedAt }
      figures {
        entered running completed exited failed converted
        nodes { node waiting delivered pending undelivered suppressed unsubscribed steps { result reason count } }
      }
    }
    app(id: $app) { webhookEndpoints(environment: $environment) { id name } }
  }`);

export type Automation = NonNullable<DataOf<'Automation'>['automation']>;

export type AutomationPlace = Place & { automation: string };

export const automationQuery = ({ automation, app, environment }: AutomationPlace) =>
  query(automationDocument, automation, () => ({ id: automation, app, environment: kindOf(environment) }));

export const automationChanged = () =>
  Promise.all(
    ['Automation', 'Automations', 'Explanation', 'TestRun', 'EmailPreview'].map((name) =>
      queryClient.invalidateQueries({ queryKey: [name] }),
    ),
  );

const explanationDocument = graphql<'Explanation'>(`
  query Explanation($id: ID!, $person: String!) {
    automation(id: $id) { explanation(appUserId: $person) {
      appUserId state mayEnterAt never marketingConsent
      entries {
        version key event enteredAt state node dueAt endedAt reason convertedAt
        steps { node result reason at }
        deliveries { id node state attempts nextAttemptAt createdAt log { number at status error } }
      }
    } }
  }`);

export type Explanation = NonNullable<DataOf<'Explanation'>['automation']>['explanation'];

export const explanationQuery = (id: string, person: string) =>
  query(explanationDocument, [id, person], () => ({ id, person }));

const testRunDocument = graphql<'TestRun'>(`
  query TestRun($id: ID!, $days: Int!) {
    automation(id: $id) { testRun(days: $days) {
      from to events complete entered exited waiting messages skipped { result reason count }
      examples { appUserId node at body }
    } }
  }`);

export type TestRunReport = NonNullable<DataOf<'TestRun'>['automation']>['testRun'];

/** It reads all events of the days: it is asked again by the reader alone. */
export const testRunQuery = (id: string, days: number) => ({
  ...query(testRunDocument, [id, days], () => ({ id, days })),
  staleTime: Number.POSITIVE_INFINITY,
});

const emailPreviewDocument = graphql<'EmailPreview'>(`
  query EmailPreview($id: ID!, $node: String!, $user: String) {
    automation(id: $id) { emailPreview(node: $node, appUserId: $user) { to subject text html } }
  }`);

/** An email of the saved draft as a user would get it; as nobody in particular without one. */
export const emailPreviewQuery = (id: string, node: string, user: string) =>
  query(emailPreviewDocument, [id, node, user], () => ({ id, node, user: user || null }));

export const sendTestEmailDocument = graphql<'SendTestEmail'>(`
  mutation SendTestEmail($automation: ID!, $node: String!, $user: String) {
    sendAutomationTestEmail(input: {automationId: $automation, node: $node, appUserId: $user}) { to accepted reason }
  }`);

export const saveDocument = graphql<'SaveAutomation'>(`
  mutation SaveAutomation($id: ID!, $name: String, $definition: JSON) {
    saveAutomation(input: {id: $id, name: $name, definition: $definition}) { problems { code } }
  }`);

export const publishDocument = graphql<'PublishAutomation'>(`
  mutation PublishAutomation($id: ID!) { publishAutomation(input: {id: $id}) { version } }`);

export const activateDocument = graphql<'ActivateAutomation'>(`
  mutation ActivateAutomation($id: ID!) { activateAutomation(input: {id: $id}) { state } }`);

export const pauseDocument = graphql<'PauseAutomation'>(`
  mutation PauseAutomation($id: ID!) { pauseAutomation(input: {id: $id}) { state } }`);

export const archiveDocument = graphql<'ArchiveAutomation'>(`
  mutation ArchiveAutomation($id: ID!) { archiveAutomation(input: {id: $id}) { state } }`);

export const addPeopleDocument = graphql<'AddPeopleToAutomation'>(`
  mutation AddPeopleToAutomation($id: ID!, $people: [String!]!) {
    addPeopleToAutomation(input: {automationId: $id, appUserIds: $people}) { entered }
  }`);

const automationsDocument = graphql<'Automations'>(`
  query Automations($app: ID!, $environment: EnvironmentKind!, $after: String) {
    app(id: $app) {
      automations(environment: $environment, includeArchived: true, first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes {
        id name state version updatedAt figures { entered running completed exited failed converted }
      } }
      webhookEndpoints(environment: $environment) {
        id name url enabled disabledReason failingSince secrets notifications pending
      }
      automationLimits(environment: $environment) { cap capDays quietFrom quietUntil timeZone }
    }
  }`);

type App = NonNullable<DataOf<'Automations'>['app']>;

export type AutomationRow = NonNullable<App['automations']>['nodes'][number];

export type Endpoint = App['webhookEndpoints'][number];

export type Limits = App['automationLimits'];

export const automationsQuery = ({ app, environment }: Place, after?: string) =>
  query(automationsDocument, [app, environment, after], () => ({
    app,
    environment: kindOf(environment),
    after: after ?? null,
  }));

export const automationsChanged = () => queryClient.invalidateQueries({ queryKey: ['Automations'] });

export const createAutomationDocument = graphql<'CreateAutomation'>(`
  mutation CreateAutomation($app: ID!, $environment: EnvironmentKind!, $name: String!, $definition: JSON!) {
    createAutomation(input: {appId: $app, environment: $environment, name: $name, definition: $definition}) { id }
  }`);

export const setLimitsDocument = graphql<'SetAutomationLimits'>(`
  mutation SetAutomationLimits($input: SetAutomationLimitsInput!) {
    setAutomationLimits(input: $input) { cap }
  }`);

/** What a state is called. */
export const stateNames = {
  DRAFT: 'Draft',
  PUBLISHED: 'Published, not active',
  ACTIVE: 'Active',
  PAUSED: 'Paused',
  ARCHIVED: 'Archived',
} as const satisfies Record<AutomationRow['state'], string>;

export const createEndpointDocument = graphql<'CreateEndpoint'>(`
  mutation CreateEndpoint($app: ID!, $environment: EnvironmentKind!, $name: String!, $url: String!) {
    createWebhookEndpoint(input: {appId: $app, environment: $environment, name: $name, url: $url}) {
      secret endpoint { id }
    }
  }`);

export const updateEndpointDocument = graphql<'UpdateEndpoint'>(`
  mutation UpdateEndpoint($input: UpdateWebhookEndpointInput!) { updateWebhookEndpoint(input: $input) { id } }`);

export const rotateEndpointDocument = graphql<'RotateEndpoint'>(`
  mutation RotateEndpoint($id: ID!) { rotateWebhookSecret(input: {id: $id}) { secret } }`);

export const retireEndpointDocument = graphql<'RetireEndpoint'>(`
  mutation RetireEndpoint($id: ID!) { retireWebhookSecret(input: {id: $id}) { secrets } }`);

export const replayDocument = graphql<'ReplayWebhooks'>(`
  mutation ReplayWebhooks($input: ReplayWebhooksInput!) { replayWebhooks(input: $input) { deliveries } }`);

const deliveriesDocument = graphql<'WebhookDeliveries'>(
  `
  query WebhookDeliveries($id: ID!, $first: Int!, $before: ID, $state: WebhookState) {
    webhookEndpoint(id: $id) { deliveries(first: $first, before: $before, state: $state) { ...Delivery } }
  }`,
  [
    graphql<'Delivery'>(`
    fragment Delivery on WebhookDelivery {
      id webhookId automationId node appUserId body state attempts nextAttemptAt createdAt finishedAt
      log { number at status error answer tookMs }
    }`),
  ],
);

export type Delivery = NonNullable<DataOf<'WebhookDeliveries'>['webhookEndpoint']>['deliveries'][number];

const page = 20;

/** The messages of an endpoint, the newest first, page by page. */
export const deliveriesQuery = (id: string, state: WebhookState | undefined) =>
  infiniteQueryOptions({
    queryKey: ['WebhookDeliveries', id, state],
    queryFn: async ({ pageParam, signal }) => {
      const variables = { id, first: page, before: pageParam, state: state ?? null };
      const { data } = await send(deliveriesDocument, variables, signal);
      return data.webhookEndpoint?.deliveries ?? [];
    },
    initialPageParam: null as string | null,
    getNextPageParam: (last) => (last.length === page ? last[page - 1]!.id : undefined),
  });

const suppressionsDocument = graphql<'EmailSuppressions'>(`
  query EmailSuppressions($app: ID!, $environment: EnvironmentKind!, $email: String, $after: String) {
    app(id: $app) { emailSuppressions(environment: $environment, email: $email, first: 50, after: $after) {
      totalCount pageInfo { hasNextPage endCursor }
      nodes { id email reason appUserId createdAt automation { id name } }
    } }
  }`);

export type Suppression = NonNullable<
  NonNullable<DataOf<'EmailSuppressions'>['app']>['emailSuppressions']
>['nodes'][number];

/** A page of the addresses that get no email, the newest first. */
export const suppressionsQuery = ({ app, environment }: Place, { email, after }: SuppressedView) =>
  query(suppressionsDocument, [app, environment, email, after], () => ({
    app,
    environment: kindOf(environment),
    email: email ?? null,
    after: after ?? null,
  }));

export const suppressionsChanged = () => queryClient.invalidateQueries({ queryKey: ['EmailSuppressions'] });

export const removeSuppressionDocument = graphql<'RemoveEmailSuppression'>(`
  mutation RemoveEmailSuppression($id: ID!) { removeEmailSuppression(input: {id: $id}) { id } }`);
