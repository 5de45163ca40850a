import { graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';

const document = graphql<'Branding'>(`query Branding($app: ID!) { app(id: $app) { id branding } }`);

export const brandingQuery = (app: string) => query(document, app, () => ({ app }));

export const saveDocument = graphql<'SaveBranding'>(`
  mutation SaveBranding($app: ID!, $branding: JSON!) { updateBranding(input: {appId: $app, branding: $branding}) { id } }`);

export const brandingChanged = () => queryClient.invalidateQueries({ queryKey: ['Branding'] });
