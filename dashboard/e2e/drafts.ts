import { server } from './suite';

/** Makes a draft of an experiment on a channel, the first unless named, of one version against itself: of the demo's
 * experiments none is planned any more. Returns its id. */
export async function draftExperiment(name: string, channel?: string): Promise<string> {
  type Found = {
    app: {
      environment: { channels: { nodes: { id: string; name: string }[] } };
      flows: { nodes: { versions: { nodes: { id: string }[] } }[] };
    };
  };
  const { app } = await server.ask<Found>(
    `query ($app: ID!) { app(id: $app) {
      environment { channels { nodes { id name } } }
      flows(first: 50) { nodes { versions(first: 1) { nodes { id } } } }
    } }`,
    { app: server.apps[0]!.id },
  );
  const channels = app.environment.channels.nodes;
  const versionId = app.flows.nodes.flatMap(({ versions }) => versions.nodes)[0]!.id;
  const made = await server.ask<{ createExperiment: { id: string } }>(
    'mutation ($input: CreateExperimentInput!) { createExperiment(input: $input) { id } }',
    {
      input: {
        channelId: (channels.find((one) => one.name === channel) ?? channels[0]!).id,
        name,
        endsAt: new Date(Date.now() + 28 * 86_400_000).toISOString(),
        variants: ['a', 'b'].map((key) => ({ key, name: key, weight: 1, versionId })),
      },
    },
  );
  return made.createExperiment.id;
}
