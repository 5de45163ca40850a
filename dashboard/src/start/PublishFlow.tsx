import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { createDocument, pinDocument } from '../channels/queries';
import { publishDocument } from '../flows/versions/queries';
import { type Finding, findingsOf } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { kindOf } from '../scope/scope';
import { Findings } from '../ui/Findings';
import form from '../ui/Form.module.css';
import { useAct } from '../ui/useAct';
import { type Progress, startChanged } from './queries';

const startRoute = getRouteApi('/apps/$app/$environment/start');

/** Publishes a flow and pins it on a channel. What is done already is not done again: each try goes on where the last
 * one ended. */
export function PublishFlow({ flow, serving, idle }: Pick<Progress, 'flow' | 'serving' | 'idle'>) {
  const place = startRoute.useParams();
  const { act, busy, problem } = useAct();
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  if (serving) {
    return (
      <p>
        The channel{' '}
        <Link to="/apps/$app/$environment/channels" params={place} search={{ channel: serving.id }}>
          {serving.name}
        </Link>{' '}
        serves {serving.version?.flow.name ?? 'an experiment'}. Change its live version at any time, without an app
        release.
      </p>
    );
  }
  const serve = async ({ id, name, versions }: NonNullable<typeof flow>) => {
    setFindings([]);
    await act(async () => {
      const version = versions.nodes[0]?.id ?? (await publish(id, setFindings));
      const channel =
        idle?.id ??
        (await send(createDocument, { app: place.app, environment: kindOf(place.environment), name })).data
          .createChannel.id;
      await send(pinDocument, { id: channel, version, dryRun: false });
    });
    for (const queryKey of [['FlowVersions'], ['Flows'], ['Channels']])
      await queryClient.invalidateQueries({ queryKey });
    await startChanged();
  };
  return (
    <>
      <p>
        Apps ask a channel for their flow. Publishing creates a version that never changes; setting it live on a channel
        delivers it to apps.
      </p>
      <div>
        <Button disabled={!flow} loading={busy !== ''} onClick={() => flow && void serve(flow)}>
          {flow ? `Publish ${flow.name} to the channel` : 'Create a flow first'}
        </Button>
      </div>
      <p role="alert" className={form.problem}>
        {problem}
      </p>
      <Findings findings={findings} />
    </>
  );
}

/** Makes a version of the draft; what keeps it from being one is told. */
async function publish(id: string, tell: (findings: readonly Finding[]) => void): Promise<string> {
  try {
    return (await send(publishDocument, { id, label: '', dryRun: false })).data.publishFlow.version.id;
  } catch (error) {
    tell(findingsOf(error));
    throw error;
  }
}
