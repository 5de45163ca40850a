import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { kindOf, type Place } from '../scope/scope';

const document = graphql<'Start'>(`
  query Start($app: ID!, $kind: EnvironmentKind!) {
    app(id: $app) {
      environment(kind: $kind) {
        publishableKeys(first: 1) { nodes { key } }
        channels(first: 50) { nodes { id name assignment version { flow { id name } } } }
      }
      ingestHealth(environment: $kind) { accepted }
      flows(first: 50) { totalCount nodes { id name versions(first: 1) { nodes { id number } } } }
    }
  }`);

type App = NonNullable<DataOf<'Start'>['app']>;

type Channel = NonNullable<App['environment']['channels']>['nodes'][number];

type Flow = NonNullable<App['flows']>['nodes'][number];

/** How far an app is on its way from nothing to a flow that people see. The server says all of it. */
export type Progress = {
  publishableKey: string | undefined;
  /** Events of the last seven days. */
  events: number;
  flow: Flow | undefined;
  /** A channel that serves something. */
  serving: Channel | undefined;
  /** A channel that serves nothing yet. */
  idle: Channel | undefined;
};

export function progressOf({ environment, ingestHealth, flows }: App): Progress {
  const channels = environment.channels?.nodes ?? [];
  const serving = channels.find(({ assignment }) => assignment !== 'NONE');
  const listed = flows?.nodes ?? [];
  return {
    publishableKey: environment.publishableKeys?.nodes[0]?.key,
    events: ingestHealth?.accepted ?? 0,
    flow: listed.find(({ id }) => id === serving?.version?.flow.id) ?? listed[0],
    serving,
    idle: channels.find(({ assignment }) => assignment === 'NONE'),
  };
}

/** How often the page asks whether an event has arrived, in milliseconds. */
export const lookAgain = 2_000;

export const startQuery = ({ app, environment }: Place) =>
  query(document, [app, environment], () => ({ app, kind: kindOf(environment) }));

const packagesDocument = graphql<'SdkPackages'>(`query SdkPackages { sdkPackages { name url } }`);

/** The SDKs that the server offers to npm. */
export const packagesQuery = query(packagesDocument, [], () => ({}));

export const startChanged = () => queryClient.invalidateQueries({ queryKey: ['Start'] });
