import { type DataOf, graphql } from '../../graphql/graphql';

export const draftDocument = graphql<'Draft'>(`
  query Draft($flow: ID!) { flow(id: $flow) { name archivedAt draft draftRevision } }`);

export type DraftHead = NonNullable<DataOf<'Draft'>['flow']>;
