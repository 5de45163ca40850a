import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';

const document = graphql<'FlowVersions'>(`
  query FlowVersions($app: ID!, $flow: ID!) {
    flow(id: $flow) {
      id name archivedAt draft draftRevision updatedAt
      problems { severity code pointer message stepId }
      publishRequest { revision label text createdAt createdBy { name email } apiKeyName }
      versions(first: 100) { totalCount nodes { id number label createdAt createdBy { name email } } }
    }
    app(id: $app) { environments { kind channels(first: 100) { nodes {
      id name version { id number flow { id name } } experiment { id name variants { version { id number flow { id } } } }
    } } } }
  }`);

type Data = DataOf<'FlowVersions'>;

export type FlowDetail = NonNullable<Data['flow']>;

export type Version = FlowDetail['versions']['nodes'][number];

export type Serving = { id: string; name: string; kind: string; version: Version['id'] | undefined; number: number };

export type FlowPlace = { app: string; flow: string };

export const versionsQuery = ({ app, flow }: FlowPlace) => query(document, [app, flow], () => ({ app, flow }));

export const versionsChanged = () => queryClient.invalidateQueries({ queryKey: ['FlowVersions'] });

const manifestDocument = graphql<'VersionManifest'>(`
  query VersionManifest($id: ID!) { flowVersion(id: $id) { manifest } }`);

/** A version never changes. */
export const manifestQuery = (id: string) => ({
  ...query(manifestDocument, id, () => ({ id })),
  placeholderData: undefined,
  staleTime: Number.POSITIVE_INFINITY,
  enabled: id !== 'draft',
});

export const saveDraftDocument = graphql<'SaveDraft'>(`
  mutation SaveDraft($flow: ID!, $revision: Int!, $draft: JSON!) {
    saveDraft(input: {flowId: $flow, revision: $revision, draft: $draft}) {
      flow { draftRevision } problems { severity code pointer message stepId }
    }
  }`);

export const publishDocument = graphql<'PublishFlow'>(`
  mutation PublishFlow($id: ID!, $revision: Int, $label: String!, $dryRun: Boolean!) {
    publishFlow(input: {id: $id, revision: $revision, label: $label, dryRun: $dryRun}) {
      version { id number }
    }
  }`);

export const declineDocument = graphql<'DeclinePublish'>(`
  mutation DeclinePublish($flow: ID!) { declinePublish(input: {flowId: $flow}) { id } }`);

const authorsDocument = graphql<'DraftAuthors'>(`
  query DraftAuthors($flow: ID!) {
    draftHistory(flowId: $flow, first: 20) { nodes { revision person to changes } }
  }`);

/** Who changed a draft lately, and how. Whoever asks wants what is so now. */
export const authorsQuery = (flow: string) => ({
  ...query(authorsDocument, [flow], () => ({ flow })),
  placeholderData: undefined,
  staleTime: 0,
});

export const previewLinkDocument = graphql<'PreviewLink'>(`
  mutation PreviewLink($flow: ID!, $version: ID) {
    createPreviewLink(input: {flowId: $flow, versionId: $version}) { token expiresAt }
  }`);

/** The channels that serve a flow, directly, with the version that each serves. */
export const servingOf = (data: Data): Serving[] =>
  (data.app?.environments ?? []).flatMap(({ kind, channels }) =>
    (channels?.nodes ?? []).flatMap(({ id, name, version }) =>
      version && version.flow.id === data.flow?.id
        ? [{ id, name, kind, version: version.id, number: version.number }]
        : [],
    ),
  );

/** A channel that serves another flow, or nothing. */
export type Other = { id: string; name: string; kind: string; serves: string | undefined };

/** The channels that a version of the flow can be set live on beside those that serve the flow. An experiment decides
 * what its channel serves. */
export const othersOf = (data: Data): Other[] =>
  (data.app?.environments ?? []).flatMap(({ kind, channels }) =>
    (channels?.nodes ?? [])
      .filter(({ experiment, version }) => !experiment && version?.flow.id !== data.flow?.id)
      .map(({ id, name, version }) => ({
        ...{ id, name, kind },
        serves: version ? `${version.flow.name} v${version.number}` : undefined,
      })),
  );

export type Experimenting = {
  id: string;
  name: string;
  channel: string;
  /** The channel's id where it is live. */
  live: string | undefined;
  numbers: readonly number[];
};

/** The experiments that show versions of a flow now. */
export const experimentsOf = (data: Data): Experimenting[] =>
  (data.app?.environments ?? []).flatMap(({ kind, channels }) =>
    (channels?.nodes ?? []).flatMap(({ id, name, experiment }) => {
      const own = (experiment?.variants ?? []).flatMap(({ version }) =>
        version && version.flow.id === data.flow?.id ? [version.number] : [],
      );
      const numbers = [...new Set(own)].toSorted((a, b) => a - b);
      const live = kind === 'LIVE' ? id : undefined;
      return experiment && own.length > 0
        ? [{ id: experiment.id, name: experiment.name, channel: name, live, numbers }]
        : [];
    }),
  );

const reachDocument = graphql<'FlowReach'>(`
  query FlowReach($flow: ID!) {
    flowAnalytics(scope: {flowId: $flow}) {
      cohorts(dimension: CHANNEL, first: 200) { nodes { value starts } }
      timeseriesCohorts(dimension: CHANNEL) { value points { starts } }
    }
  }`);

/** How many users came to a flow on each live channel in the last seven days, and on each day for the channels of most. */
export const reachQuery = (flow: string) => query(reachDocument, flow, () => ({ flow }));
