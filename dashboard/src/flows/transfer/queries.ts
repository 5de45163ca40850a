import { type DataOf, graphql } from '../../graphql/graphql';
import { query } from '../../graphql/query';

export const copyFlowDocument = graphql<'CopyFlow'>(`
  mutation CopyFlow($flow: ID!, $app: ID!, $name: String!) {
    copyFlow(input: {flowId: $flow, appId: $app, name: $name}) { flow { id name } fontsAdded missing { kind name } }
  }`);

export const importFlowDocument = graphql<'ImportFlow'>(`
  mutation ImportFlow($app: ID!, $name: String!, $file: Upload!) {
    importFlow(input: {appId: $app, name: $name, file: $file}) { flow { id name } fontsAdded missing { kind name } }
  }`);

export const fillFlowDocument = graphql<'FillFlow'>(`
  mutation FillFlow($flow: ID!, $manifest: JSON, $template: FlowTemplateInput, $file: Upload) {
    fillFlow(input: {flowId: $flow, manifest: $manifest, template: $template, file: $file}) {
      flow { id name } fontsAdded missing { kind name }
    }
  }`);

export type Copied = DataOf<'CopyFlow'>['copyFlow'];

const nameDocument = graphql<'FlowName'>(`query FlowName($flow: ID!) { flow(id: $flow) { name } }`);

export const nameQuery = (flow: string) => query(nameDocument, [flow], () => ({ flow }));
