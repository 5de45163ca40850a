import { useQuery } from '@tanstack/react-query';
import { localZone } from '../scope/calendar';
import { Snippets } from '../start/Snippets';
import { Failure } from '../ui/Failure';
import { formatTime } from '../ui/format';
import { Waiting } from '../ui/Waiting';
import { AutomaticReturn } from './AutomaticReturn';
import styles from './ChannelsPage.module.css';
import { Pin } from './Pin';
import { type ChannelRow, type FlowChoice, historyQuery } from './queries';
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
