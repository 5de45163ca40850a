import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import type { AlertRuleInput } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';

const document = graphql<'Alerts'>(`
  query Alerts($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      alerts(environment: $environment, first: 100) {
        totalCount nodes {
          id name paused rule slackUrl slackDelivery { state reason at } state { firing since judged value low high }
        }
      }
      goals(first: 100) { nodes { id name } } segments(first: 200) { nodes { id name } }
    }
  }`);

type App = NonNullable<DataOf<'Alerts'>['app']>;
export type Alert = NonNullable<App['alerts']>['nodes'][number];
/** What rules name by an id. */
export type Named = { goals: NonNullable<App['goals']>['nodes']; segments: NonNullable<App['segments']>['nodes'] };

/** The alerts of an environment, and where they stand: asked for every minute, as they are looked at. */
export const alertsQuery = ({ app, environment }: Place) => ({
  ...query(document, [app, environment], () => ({ app, environment: kindOf(environment) })),
  refetchInterval: 60_000,
});

const previewDocument = graphql<'AlertPreview'>(`
  query AlertPreview($app: ID!, $environment: EnvironmentKind!, $rule: AlertRuleInput!) {
    app(id: $app) {
      alertPreview(environment: $environment, rule: $rule) {
        points { start value low high breach } firings { start end }
      }
    }
  }`);

export type Preview = NonNullable<NonNullable<DataOf<'AlertPreview'>['app']>['alertPreview']>;

/** When an alert of a rule would have fired in the last 90 days. */
export const previewQuery = ({ app, environment }: Place, rule: AlertRuleInput | undefined) => ({
  ...query(previewDocument, [app, environment, rule], () => ({ app, environment: kindOf(environment), rule: rule! })),
  enabled: rule !== undefined,
});

const createDocument = graphql<'CreateAlert'>(`
  mutation CreateAlert($input: CreateAlertInput!) { createAlert(input: $input) { id } }`);
const updateDocument = graphql<'UpdateAlert'>(`
  mutation UpdateAlert($input: UpdateAlertInput!) { updateAlert(input: $input) { id } }`);
const deleteDocument = graphql<'DeleteAlert'>(`
  mutation DeleteAlert($input: DeleteAlertInput!) { deleteAlert(input: $input) }`);

const changed = () => queryClient.invalidateQueries({ queryKey: ['Alerts'] });

/** What is written of an alert. A URL that is left out stays; an empty one ends the messages to Slack. */
type Written = { name: string; rule: AlertRuleInput; slackUrl?: string };

export async function createAlert({ app, environment }: Place, written: Written) {
  await send(createDocument, { input: { appId: app, environment: kindOf(environment), ...written } });
  await changed();
}

export async function updateAlert(id: string, written: Written) {
  await send(updateDocument, { input: { id, ...written } });
  await changed();
}

export async function pauseAlert(id: string, paused: boolean) {
  await send(updateDocument, { input: { id, paused } });
  await changed();
}

export async function deleteAlert(id: string) {
  await send(deleteDocument, { input: { id } });
  await changed();
}
