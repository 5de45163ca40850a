import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { localZone } from '../scope/calendar';
import { Snippets } from '../start/Snippets';
import { Failure } from '../ui/Failure';
import { formatTime } from '../ui/format';
import { Waiting } from '../ui/Waiting';
import { AutomaticReturn } from './AutomaticReturn';
import styles from './ChannelsPage.module.css';
import { type ChannelRow, type FlowChoice, historyQuery, pinDocument } from './queries';
import { Watch } from './Watch';

type Props = {
  channel: ChannelRow;
  flows: readonly FlowChoice[];
  publishableKey: string | undefined;
  editable: boolean;
};

/** One channel: why it serves what it serves, another version to pin, how an app asks for it, and what it served before. */
export function ChannelDetail({ channel, flows, publishableKey, editable }: Props) {
  return (
    <div className={styles.detail}>
      <p>{channel.explanation.reason}</p>
      {!channel.archivedAt && <Watch channel={channel.id} editable={editable} />}
      {editable && !channel.archivedAt && <Pin channel={channel} flows={flows} />}
      {editable && !channel.archivedAt && <AutomaticReturn channel={channel.id} on={channel.automaticReturn} />}
      <section>
        <h2>In your app</h2>
        <Snippets publishableKey={publishableKey} channel={channel.id} />
      </section>
      <History id={channel.id} />
    </div>
  );
}

type Check = { version: string; warnings: readonly { code: string; only: string; stepId: string }[] };

/** Serving another version takes two steps: what it means, then the act. */
function Pin({ channel, flows }: { channel: ChannelRow; flows: readonly FlowChoice[] }) {
  const [version, setVersion] = useState<string | null>(channel.version?.id ?? null);
  const [checked, setChecked] = useState<Check>();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const same = version === channel.version?.id;
  const pin = async (dryRun: boolean) => {
    if (!version) return;
    setBusy(true);
    setProblem('');
    try {
      const { data } = await send(pinDocument, { id: channel.id, version, dryRun });
      if (dryRun) setChecked({ version, warnings: data.pinChannel.warnings });
      else {
        setChecked(undefined);
        await queryClient.invalidateQueries({ queryKey: ['Channels'] });
        await queryClient.invalidateQueries({ queryKey: ['ChannelHistory'] });
        await queryClient.invalidateQueries({ queryKey: ['ChannelWatch'] });
      }
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
    setBusy(false);
  };
  return (
    <section>
      <h2>Set live version</h2>
      <Select
        aria-label="Version"
        searchable
        value={version}
        onChange={(value) => {
          setVersion(value);
          setChecked(undefined);
        }}
        data={flows
          .filter(({ versions }) => versions.nodes.length > 0)
          .map(({ name, versions }) => ({
            group: name,
            items: versions.nodes.map(({ id, number, label }) => ({
              value: id,
              label: `${name} v${number}${label && ` · ${label}`}`,
            })),
          }))}
      />
      {checked && (
        <div className={styles.check} role="status">
          <b>
            {channel.version
              ? 'All users who open the app from now on get it.'
              : 'Apps that resolve this channel get it at once.'}
          </b>
          {checked.warnings.map(({ code, only, stepId }) => (
            <span key={`${code}${stepId}`}>
              {code} in {stepId} works on {only === 'WEB' ? 'the web' : 'phones'} only.
            </span>
          ))}
        </div>
      )}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.acts}>
        {checked ? (
          <Button loading={busy} onClick={() => void pin(false)}>
            Publish to channel
          </Button>
        ) : (
          <Button variant="default" loading={busy} disabled={!version || same} onClick={() => void pin(true)}>
            Preview changes
          </Button>
        )}
      </div>
    </section>
  );
}

function History({ id }: { id: string }) {
  const answer = useQuery(historyQuery(id));
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const rows = answer.data?.data.channel?.history.nodes;
  return (
    <section>
      <h2>History</h2>
      {rows ? (
        <ol className={styles.history}>
          {rows.map(({ assignmentVersion, assignment, reason, createdAt, changedBy, version, experiment }) => (
            <li key={assignmentVersion}>
              <time dateTime={createdAt}>
                {formatTime(createdAt, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}
              </time>
              <span>
                {experiment?.name ??
                  (version
                    ? `${version.flow.name} v${version.number}`
                    : assignment === 'NONE'
                      ? 'nothing'
                      : 'a deleted version')}
              </span>
              <small>
                {reason}
                {changedBy && ` by ${changedBy.name || changedBy.email}`}
              </small>
            </li>
          ))}
          {rows.length === 0 && <li>Nothing was ever published to it.</li>}
        </ol>
      ) : (
        <Waiting rows={4} />
      )}
    </section>
  );
}
