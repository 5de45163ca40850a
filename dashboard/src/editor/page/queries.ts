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
      people { clientId name screen layers pointer { screen x y } }
    }
  }`);

export const announceDocument = graphql<'AnnounceInDraft'>(`
  mutation AnnounceInDraft($input: AnnounceInDraftInput!) { announceInDraft(input: $input) { clientId } }`);

export type DraftHead = Pick<DataOf<'Draft'>['draft'], 'name' | 'canEdit'>;
