import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { explain } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { localZone } from '../scope/calendar';
import { formatAligned, formatExact, formatTime } from '../ui/format';
import { pinDocument, type Watched, watchQuery } from './queries';
import styles from './Watch.module.css';

type Props = {
  channel: string;
  /** The channel's name, where it is not said around it. */
  name?: string;
  editable: boolean;
};

/** How the newest version of a channel does beside the one before it, with the way back. Nothing without one before it. */
export function Watch({ channel, name, editable }: Props) {
  const answer = useQuery(watchQuery(channel));
  const watch = answer.data?.data.channelWatch;
  if (!watch) return null;
  const { version, previous } = watch;
  return (
    <section
      className={styles.watch}
      data-state={watch.state}
      aria-label={`v${version.number} compared with v${previous.number}`}
    >
      <header>
        <h2>
          v{version.number} compared with v{previous.number}
          {name && <small> on {name}</small>}
        </h2>
        <span className={styles.state}>{stateWords(watch)}</span>
      </header>
      <p>{watch.sentence}</p>
      <table>
        <thead>
          <tr>
            <th scope="col">Metric</th>
            <th scope="col">v{previous.number}</th>
            <th scope="col">v{version.number}</th>
          </tr>
        </thead>
        <tbody>
          {watch.metrics.map((metric) => (
            <tr key={metric.metric} data-harm={metric.harm || undefined}>
              <th scope="row">{metric.metric === 'COMPLETION' ? 'Runs completed' : 'Runs with an error'}</th>
              <td>{formatAligned(metric.previous, 'share')}</td>
              <td>{formatAligned(metric.current, 'share')}</td>
            </tr>
          ))}
          <tr>
            <th scope="row">Runs</th>
            <td>{formatExact(watch.previousRuns, 'count')}</td>
            <td>{formatExact(watch.runs, 'count')}</td>
          </tr>
        </tbody>
      </table>
      {watch.state === 'WATCHING' && <Progress watch={watch} />}
      {editable && watch.leftAt === null && <Return channel={channel} watch={watch} />}
    </section>
  );
}

/** The state of a watch in a word or two. */
function stateWords({ state, returned, leftAt, previous }: Watched): string {
  if (state === 'HARM' && leftAt !== null)
    return returned ? `Went back to v${previous.number} by itself` : 'No longer live';
  return { WATCHING: 'Watching', FINE: 'No harm found', HARM: 'Worse', ENDED: 'Ended' }[state];
}

function Progress({ watch: { runs, plannedRuns, endsAt, version } }: { watch: Watched }) {
  const until = formatTime(endsAt, localZone(), { dateStyle: 'medium' });
  return (
    <>
      {plannedRuns !== null && (
        <progress
          aria-label={`Planned runs of v${version.number}`}
          value={Math.min(runs, plannedRuns)}
          max={plannedRuns}
        />
      )}
      <small>
        {plannedRuns !== null && `${formatExact(runs, 'count')} of ${formatExact(plannedRuns, 'count')} planned runs. `}
        Ends {until} at the latest. Runs count an hour after their start.
      </small>
    </>
  );
}

/** Goes back to the version before, in one click. */
function Return({ channel, watch: { previous, state } }: { channel: string; watch: Watched }) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState('');
  const goBack = async () => {
    setBusy(true);
    setProblem('');
    try {
      await send(pinDocument, { id: channel, version: previous.id, dryRun: false });
      for (const key of ['Channels', 'ChannelHistory', 'ChannelWatch', 'FlowVersions']) {
        await queryClient.invalidateQueries({ queryKey: [key] });
      }
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
    setBusy(false);
  };
  return (
    <>
      <Button
        className={styles.back}
        variant={state === 'HARM' ? 'filled' : 'default'}
        loading={busy}
        onClick={() => void goBack()}
      >
        Go back to v{previous.number}
      </Button>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
    </>
  );
}
