import { type DataOf, graphql } from '../../graphql/graphql';

export const draftDocument = graphql<'Draft'>(`
  query Draft($flow: ID!) { draft(flowId: $flow) { name revision document canEdit } }`);

export type DraftHead = DataOf<'Draft'>['draft'];

export const editDraftDocument = graphql<'EditDraft'>(`
  mutation EditDraft($input: EditDraftInput!) {
    editDraft(input: $input) {
      revision reset
      outcomes { step inverse refusal { code node by } }
      others { revision clientId sequence person steps }
    }
  }`);
