import { type DataOf, graphql } from '../../graphql/graphql';

export const draftDocument = graphql<'Draft'>(`
  query Draft($flow: ID!) { draft(flowId: $flow) { name canEdit revision document } }`);

export const editDraftDocument = graphql<'EditDraft'>(`
  mutation EditDraft($flow: ID!, $base: Int!, $client: ID!, $sequence: Int!, $steps: [EditStepInput!]!) {
    editDraft(input: {flowId: $flow, baseRevision: $base, clientId: $client, sequence: $sequence, steps: $steps}) {
      revision reset
      outcomes { step inverse refusal { code node by } }
      others { revision clientId sequence person steps }
    }
  }`);

export const draftEditsDocument = graphql<'DraftEdits'>(`
  subscription DraftEdits($flow: ID!, $after: Int!) {
    draftEdits(flowId: $flow, after: $after) {
      revision reset
      edits { revision clientId sequence person steps }
      people { clientId name screen layers }
    }
  }`);

export const announceDocument = graphql<'AnnounceInDraft'>(`
  mutation AnnounceInDraft($flow: ID!, $client: ID!, $screen: String, $layers: [String!]!, $leaves: Boolean!) {
    announceInDraft(input: {flowId: $flow, clientId: $client, screen: $screen, layers: $layers, leaves: $leaves}) {
      clientId
    }
  }`);

export type DraftHead = Pick<DataOf<'Draft'>['draft'], 'name' | 'canEdit'>;
