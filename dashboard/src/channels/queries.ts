import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { kindOf, type Place } from '../scope/scope';

const document = graphql<'Channels'>(`
  query Channels($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      environment(kind: $environment) {
        publishableKeys(first: 1) { nodes { key } }
        channels(includeArchived: true, first: 200) { totalCount nodes {
          id name archivedAt assignment assignmentVersion updatedAt automaticReturn
          version { id number label flow { id name } }
          experiment { id name }
          explanation { reason refusal }
        } }
      }
      flows(first: 200) { nodes { id name versions(first: 50) { nodes { id number label createdAt } } } }
    }
  }`);

type App = NonNullable<DataOf<'Channels'>['app']>;

export type ChannelRow = NonNullable<App['environment']['channels']>['nodes'][number];

export type FlowChoice = NonNullable<App['flows']>['nodes'][number];

export const channelsQuery = ({ app, environment }: Place) =>
  query(document, [app, environment], () => ({ app, environment: kindOf(environment) }));

const historyDocument = graphql<'ChannelHistory'>(`
  query ChannelHistory($id: ChannelID!) {
    channel(id: $id) { history(first: 50) { nodes {
      assignmentVersion assignment reason createdAt changedBy { name email } version { number label flow { id name } } experiment { name }
    } } }
  }`);

export const historyQuery = (id: string) => query(historyDocument, id, () => ({ id }));

const trafficDocument = graphql<'ChannelTraffic'>(`
  query ChannelTraffic($flow: ID!, $environment: EnvironmentKind!, $channel: ChannelID!) {
    flowAnalytics(scope: {flowId: $flow, environment: $environment, channels: [$channel]}) { overview { runs } }
  }`);

/** The runs of a flow on a channel in the last seven days. */
export const trafficQuery = ({ environment }: Place, channel: string, flow: string) =>
  query(trafficDocument, [channel, flow], () => ({ flow, environment: kindOf(environment), channel }));

export const pinDocument = graphql<'Pin'>(`
  mutation Pin($id: ChannelID!, $version: ID!, $dryRun: Boolean!) {
    pinChannel(input: {id: $id, versionId: $version, dryRun: $dryRun}) {
      channel { assignmentVersion } warnings { code only stepId }
    }
  }`);

export const createDocument = graphql<'CreateChannel'>(`
  mutation CreateChannel($app: ID!, $environment: EnvironmentKind!, $name: String!) {
    createChannel(input: {appId: $app, environment: $environment, name: $name}) { id }
  }`);

const watchDocument = graphql<'ChannelWatch'>(`
  query ChannelWatch($id: ChannelID!) {
    channelWatch(id: $id) {
      state sentence runs previousRuns plannedRuns endsAt leftAt returned
      version { number } previous { id number } metrics { metric previous current harm }
    }
  }`);

export type Watched = NonNullable<DataOf<'ChannelWatch'>['channelWatch']>;

export const watchQuery = (id: string) => query(watchDocument, id, () => ({ id }));

export const automaticReturnDocument = graphql<'SetAutomaticReturn'>(`
  mutation SetAutomaticReturn($id: ChannelID!, $on: Boolean!) {
    setAutomaticReturn(input: {id: $id, automaticReturn: $on}) { id automaticReturn }
  }`);
