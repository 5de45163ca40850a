import { createRoute, lazyRouteComponent } from '@tanstack/react-router';
import * as v from 'valibot';
import { appRoute } from '../app/routes';
import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { kindOf, type Place } from '../scope/scope';

export const parts = ['way', 'definition', 'versions', 'people', 'dry-run'] as const;
export const rehearsedDays = ['1', '7', '30'] as const;

const searchSchema = v.object({
  part: v.optional(v.fallback(v.optional(v.picklist(parts)), undefined)),
  /** Whose way is shown, by app user id. */
  person: v.optional(v.fallback(v.optional(v.pipe(v.string(), v.maxLength(200))), undefined)),
  /** Of how many days events are played through the draft. */
  days: v.optional(v.fallback(v.optional(v.picklist(rehearsedDays)), undefined)),
});

const document = graphql<'Automation'>(`
  query Automation($id: ID!, $app: ID!, $environment: EnvironmentKind!) {
    automation(id: $id) {
      id name environment state draft version createdAt updatedAt
      problems { severity code pointer message }
      versions { number definition publishedAt }
      figures {
        entered running completed exited failed converted
        nodes { node waiting delivered pending undelivered steps { result reason count } }
      }
    }
    app(id: $app) { webhookEndpoints(environment: $environment) { id name } }
  }`);

export type Automation = NonNullable<DataOf<'Automation'>['automation']>;
export type AutomationPlace = Place & { automation: string };

export const automationQuery = ({ automation, app, environment }: AutomationPlace) =>
  query(document, automation, () => ({ id: automation, app, environment: kindOf(environment) }));

export const automationChanged = () =>
  Promise.all(
    ['Automation', 'Automations', 'Explanation', 'Rehearsal'].map((name) =>
      queryClient.invalidateQueries({ queryKey: [name] }),
    ),
  );

const explanationDocument = graphql<'Explanation'>(`
  query Explanation($id: ID!, $person: String!) {
    automation(id: $id) { explanation(appUserId: $person) {
      appUserId state mayEnterAt never marketingConsent
      enrolments {
        version key event enteredAt state node dueAt endedAt reason convertedAt
        steps { node result reason at }
        deliveries { id node state attempts nextAttemptAt createdAt log { number at status error } }
      }
    } }
  }`);

export type Explanation = NonNullable<DataOf<'Explanation'>['automation']>['explanation'];

export const explanationQuery = (id: string, person: string) =>
  query(explanationDocument, [id, person], () => ({ id, person }));

const rehearsalDocument = graphql<'Rehearsal'>(`
  query Rehearsal($id: ID!, $days: Int!) {
    automation(id: $id) { rehearsal(days: $days) {
      from to events complete entered exited waiting messages skipped { result reason count }
      examples { appUserId node at body }
    } }
  }`);

export type Rehearsal = NonNullable<DataOf<'Rehearsal'>['automation']>['rehearsal'];

/** It reads all events of the days: it is asked again by the reader alone. */
export const rehearsalQuery = (id: string, days: number) => ({
  ...query(rehearsalDocument, [id, days], () => ({ id, days })),
  staleTime: Number.POSITIVE_INFINITY,
});

export const saveDocument = graphql<'SaveAutomation'>(`
  mutation SaveAutomation($id: ID!, $name: String, $definition: JSON) {
    saveAutomation(input: {id: $id, name: $name, definition: $definition}) { problems { code } }
  }`);

export const publishDocument = graphql<'PublishAutomation'>(`
  mutation PublishAutomation($id: ID!) { publishAutomation(input: {id: $id}) { version } }`);

export const activateDocument = graphql<'ActivateAutomation'>(`
  mutation ActivateAutomation($id: ID!) { activateAutomation(input: {id: $id}) { state } }`);

export const pauseDocument = graphql<'PauseAutomation'>(`
  mutation PauseAutomation($id: ID!) { pauseAutomation(input: {id: $id}) { state } }`);

export const archiveDocument = graphql<'ArchiveAutomation'>(`
  mutation ArchiveAutomation($id: ID!) { archiveAutomation(input: {id: $id}) { state } }`);

export const enrolDocument = graphql<'EnrolPeople'>(`
  mutation EnrolPeople($id: ID!, $people: [String!]!) {
    enrolPeople(input: {automationId: $id, appUserIds: $people}) { entered }
  }`);

export const automationRoute = createRoute({
  getParentRoute: () => appRoute,
  path: 'automations/$automation',
  validateSearch: searchSchema,
  loader: ({ params }) => void queryClient.prefetchQuery(automationQuery(params)),
  component: lazyRouteComponent(() => import('./AutomationPage'), 'AutomationPage'),
});
