import { type DataOf, graphql } from '../graphql/graphql';
import { query, queryClient } from '../graphql/query';
import { kindOf, type Place } from '../scope/scope';

const listDocument = graphql<'Experiments'>(`
  query Experiments($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) { experiments(environment: $environment, first: 100) { totalCount nodes {
      id name status startedAt endsAt stoppedAt channel { name } variants { key name weight }
    } } }
  }`);

export const experimentsQuery = ({ app, environment }: Place) =>
  query(listDocument, [app, environment], () => ({ app, environment: kindOf(environment) }));

const resultsDocument = graphql<'ExperimentReport'>(`
  query ExperimentReport($id: ID!, $zone: String!) {
    experiment(id: $id) {
      name status splitBy channel { name } goals { primary goal { id } }
      variants { id key name weight version { number flow { name } } }
    }
    experimentResults(id: $id, timeZone: $zone) {
      verdict variant sentence startedAt endsAt stoppedAt daysLeft peoplePerVariant crossed tooManyCrossed unrecorded
      notRendered
      exposed { warning enough p people { variant people } }
      culprits { dimension value p }
      metrics {
        metric unit phase primary goal { id name }
        variants { variant people maturing value interval { low high } }
        comparisons { variant difference interval { low high } lift p chanceToWin verdict sentence }
        series { day variants { variant people value interval { low high } } }
      }
    }
  }`);

export type Results = NonNullable<DataOf<'ExperimentReport'>['experimentResults']>;

/** What the results say of the experiment itself. */
export type Reported = NonNullable<DataOf<'ExperimentReport'>['experiment']>;

export type Metric = Results['metrics'][number];

export const resultsQuery = (id: string, zone: string) => query(resultsDocument, [id, zone], () => ({ id, zone }));

const detailDocument = graphql<'ExperimentDetail'>(`
  query ExperimentDetail($id: ID!) {
    experiment(id: $id) {
      id name status splitBy endsAt planner channel { id name } goals { primary goal { id name } }
      variants { id key name weight version { id number label flow { name } } }
    }
  }`);

export type ExperimentDetail = NonNullable<DataOf<'ExperimentDetail'>['experiment']>;

export const detailQuery = (id: string) => query(detailDocument, id, () => ({ id }));

const planDocument = graphql<'ExperimentPlan'>(`
  query ExperimentPlan($id: ID!) {
    experimentPlan(id: $id) { measuredBaseline measuredPeople baseline effect peoplePerVariant lastFortnight days }
  }`);

export const planQuery = (id: string) => query(planDocument, id, () => ({ id }));

const choicesDocument = graphql<'ExperimentChoices'>(`
  query ExperimentChoices($app: ID!, $environment: EnvironmentKind!) {
    app(id: $app) {
      environment(kind: $environment) { channels(first: 200) { nodes { id name version { id } } } }
      flows(first: 200) { nodes { id name versions(first: 20) { nodes { id number label } } } }
      goals(first: 100) { nodes { id name } }
    }
  }`);

/** The channels, versions and goals that an experiment can be made of. */
export const choicesQuery = ({ app, environment }: Place) =>
  query(choicesDocument, [app, environment], () => ({ app, environment: kindOf(environment) }));

/** Published versions of every flow, for a choice among them. */
export const versionsOf = (choices: DataOf<'ExperimentChoices'>['app'] | undefined) =>
  (choices?.flows?.nodes ?? [])
    .filter(({ versions }) => versions.nodes.length > 0)
    .map(({ name, versions }) => ({
      group: name,
      items: versions.nodes.map(({ id, number, label }) => ({
        value: id,
        label: `${name} v${number}${label && ` · ${label}`}`,
      })),
    }));

export const createDocument = graphql<'CreateExperiment'>(`
  mutation CreateExperiment($input: CreateExperimentInput!) { createExperiment(input: $input) { id } }`);

export const updateDocument = graphql<'UpdateExperiment'>(`
  mutation UpdateExperiment($input: UpdateExperimentInput!) { updateExperiment(input: $input) { id } }`);

export const startDocument = graphql<'StartExperiment'>(`
  mutation StartExperiment($id: ID!, $dryRun: Boolean!) { startExperiment(input: {id: $id, dryRun: $dryRun}) { id } }`);

export const stopDocument = graphql<'StopExperiment'>(`
  mutation StopExperiment($id: ID!, $dryRun: Boolean!) { stopExperiment(input: {id: $id, dryRun: $dryRun}) { id } }`);

export const promoteDocument = graphql<'PromoteExperiment'>(`
  mutation PromoteExperiment($id: ID!, $variant: ID!) { promoteExperiment(input: {id: $id, variantId: $variant}) { id } }`);

export const extendDocument = graphql<'ExtendExperiment'>(`
  mutation ExtendExperiment($id: ID!, $endsAt: Time!) { extendExperiment(input: {id: $id, endsAt: $endsAt}) { id } }`);

export const deleteDocument = graphql<'DeleteExperiment'>(`
  mutation DeleteExperiment($id: ID!) { deleteExperiment(input: {id: $id}) }`);

/** Asks anew for everything that a change of an experiment shows in. */
export async function experimentsChanged() {
  for (const name of ['Experiments', 'ExperimentDetail', 'ExperimentPlan', 'ExperimentReport', 'Channels'])
    await queryClient.invalidateQueries({ queryKey: [name] });
}
