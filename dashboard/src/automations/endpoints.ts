import { infiniteQueryOptions } from '@tanstack/react-query';
import { type DataOf, graphql } from '../graphql/graphql';
import type { WebhookState } from '../graphql/schema.gen';
import { send } from '../graphql/send';

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
