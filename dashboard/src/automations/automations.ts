import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../app/routes';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { kindOf, type Place } from '../scope/scope';

const document = graphql<'Automations'>(`
  query Automations($app: ID!, $environment: EnvironmentKind!, $after: String) {
    app(id: $app) {
      automations(environment: $environment, includeArchived: true, first: 50, after: $after) { pageInfo { hasNextPage endCursor } nodes {
        id name state version updatedAt figures { entered running completed exited failed converted }
      } }
      webhookEndpoints(environment: $environment) {
        id name url enabled disabledReason failingSince secrets notifications pending
      }
      automationLimits(environment: $environment) { cap capDays quietFrom quietUntil timeZone }
    }
  }`);

type App = NonNullable<DataOf<'Automations'>['app']>;
export type AutomationRow = NonNullable<App['automations']>['nodes'][number];
export type Endpoint = App['webhookEndpoints'][number];
export type Limits = App['automationLimits'];

export const automationsQuery = ({ app, environment }: Place, after?: string) =>
  query(document, [app, environment, after], () => ({ app, environment: kindOf(environment), after: after ?? null }));

export const automationsChanged = () => queryClient.invalidateQueries({ queryKey: ['Automations'] });

export const createAutomationDocument = graphql<'CreateAutomation'>(`
  mutation CreateAutomation($app: ID!, $environment: EnvironmentKind!, $name: String!, $definition: JSON!) {
    createAutomation(input: {appId: $app, environment: $environment, name: $name, definition: $definition}) { id }
  }`);

export const setLimitsDocument = graphql<'SetAutomationLimits'>(`
  mutation SetAutomationLimits($input: SetAutomationLimitsInput!) {
    setAutomationLimits(input: $input) { cap }
  }`);

const id = v.optional(v.fallback(v.optional(v.pipe(v.string(), v.uuid())), undefined));

export const automationsRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'automations',
  validateSearch: v.object({
    /** The endpoint that is open. */
    endpoint: id,
    /** Where the page of automations begins. */
    after: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(500))), undefined)),
    /** Which of its messages are listed. */
    messages: v.optional(v.fallback(v.optional(v.picklist(['pending', 'delivered', 'failed'])), undefined)),
  }),
  loaderDeps: ({ search }) => ({ after: search.after }),
  loader: ({ params, deps }) => void queryClient.prefetchQuery(automationsQuery(params, deps.after)),
  component: lazyRouteComponent(() => import('./AutomationsPage'), 'AutomationsPage'),
});

/** What a state is called. */
export const stateNames = {
  DRAFT: 'Draft',
  PUBLISHED: 'Published, not active',
  ACTIVE: 'Active',
  PAUSED: 'Paused',
  ARCHIVED: 'Archived',
} as const satisfies Record<AutomationRow['state'], string>;
