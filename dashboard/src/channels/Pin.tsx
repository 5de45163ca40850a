import { Button, Modal, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import formStyles from '../ui/Form.module.css';
import { formatExact } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './ChannelsPage.module.css';
import { NeverLive } from './NeverLive';
import { type ChannelRow, type FlowChoice, pinDocument, trafficQuery } from './queries';

const channelsRoute = getRouteApi('/apps/$app/$environment/channels');

type Warning = { code: string; only: string; stepId: string };
type Choice = { id: string; flow: string; flowName: string; name: string };

/** Sets the live version of a channel, after it was said by name what is replaced by what, and for how many. */
export function Pin({ channel, flows }: { channel: ChannelRow; flows: readonly FlowChoice[] }) {
  const [version, setVersion] = useState<string | null>(channel.version?.id ?? null);
  const [warnings, setWarnings] = useState<readonly Warning[]>();
  const { act, busy, problem } = useAct();
  const choices = choicesOf(flows);
  const chosen = choices.find(({ id }) => id === version);
  const pin = async (dryRun: boolean) => {
    const { data } = await send(pinDocument, { id: channel.id, version: version!, dryRun });
    if (dryRun) return setWarnings(data.pinChannel.warnings);
    setWarnings(undefined);
    for (const key of ['Channels', 'ChannelHistory', 'ChannelWatch'])
      await queryClient.invalidateQueries({ queryKey: [key] });
  };
  return (
    <section>
      <h2>Set live version</h2>
      <Select
        aria-label="Version"
        searchable
        value={version}
        onChange={setVersion}
        data={flows
          .filter(({ versions }) => versions.nodes.length > 0)
          .map(({ id, name }) => ({
            group: name,
            items: choices
              .filter(({ flow }) => flow === id)
              .map((choice) => ({ value: choice.id, label: choice.name })),
          }))}
      />
      {!warnings && <Problem text={problem} />}
      <div className={styles.acts}>
        <Button
          variant="default"
          loading={busy !== '' && !warnings}
          disabled={!chosen || version === channel.version?.id}
          onClick={() => void act(() => pin(true))}
        >
          Set live version…
        </Button>
      </div>
      <Modal
        opened={warnings !== undefined}
        onClose={() => setWarnings(undefined)}
        title={`Publish to ${channel.name}`}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {warnings && chosen && (
          <div className={formStyles.confirm}>
            <Meaning channel={channel} chosen={chosen} />
            {warnings.map(({ code, only, stepId }) => (
              <p key={`${code}${stepId}`} className={styles.check}>
                {code} in {stepId} works on {only === 'WEB' ? 'the web' : 'phones'} only.
              </p>
            ))}
            <Problem text={problem} />
            <div className={formStyles.acts}>
              <Button data-autofocus loading={busy !== ''} onClick={() => void act(() => pin(false))}>
                Publish {chosen.name}
              </Button>
              <Button variant="subtle" onClick={() => setWarnings(undefined)}>
                Cancel
              </Button>
            </div>
          </div>
        )}
      </Modal>
    </section>
  );
}

const choicesOf = (flows: readonly FlowChoice[]): Choice[] =>
  flows.flatMap(({ id: flow, name: flowName, versions }) =>
    versions.nodes.map(({ id, number, label }) => ({
      id,
      flow,
      flowName,
      name: `${flowName} v${number}${label && ` · ${label}`}`,
    })),
  );

/** What is served now and to how many, what will be, and how to go back. */
function Meaning({ channel, chosen }: { channel: ChannelRow; chosen: Choice }) {
  const place = channelsRoute.useParams();
  const { id, name, version, experiment } = channel;
  const now = experiment?.name ?? (version && `${version.flow.name} v${version.number}`);
  const traffic = useQuery({ ...trafficQuery(place, id, version?.flow.id ?? ''), enabled: version !== null });
  const runs = traffic.data?.data.flowAnalytics?.overview?.runs;
  return (
    <>
      <dl className={styles.meaning}>
        <div>
          <dt>Serves now</dt>
          <dd>
            {now ?? 'Nothing'}
            {runs !== undefined && <small>{perDay(runs)}</small>}
          </dd>
        </div>
        <div>
          <dt>Will serve</dt>
          <dd>{chosen.name}</dd>
        </div>
      </dl>
      {version?.flow.id !== chosen.flow && (
        <NeverLive flow={{ id: chosen.flow, name: chosen.flowName }} channel={{ id, name }} />
      )}
      <p>
        {now
          ? 'All users who open the app from now on get it. Users in the flow stay in their version.'
          : 'Apps that resolve this channel get it at once.'}
        {version && ` To go back, set ${now} live again.`}
      </p>
    </>
  );
}

/** The runs of seven days, as a day has them. */
const perDay = (runs: number): string =>
  runs < 7 ? 'fewer than 1 run per day' : `about ${formatExact(Math.round(runs / 7), 'count')} runs per day`;
