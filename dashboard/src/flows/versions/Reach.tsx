import { Checkbox } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type Experimenting, reachQuery, type Serving } from './queries';
import styles from './Versions.module.css';

type Props = {
  flow: string;
  serving: readonly Serving[];
  experiments: readonly Experimenting[];
  /** The channels that get the new version. */
  pinned: readonly string[];
  /** Sets those; undefined for who may not. */
  pin: ((channels: string[]) => void) | undefined;
};

/** Which channels and experiments show the flow, and to how many; which channels get the new version. */
export function Reach({ flow, serving, experiments, pinned, pin }: Props) {
  const { data } = useQuery(reachQuery(flow));
  const perDay = (channel: string) => {
    const rows = data?.data.flowAnalytics?.cohorts?.nodes;
    return rows && startsWords(rows.find(({ value }) => value === channel)?.starts ?? 0);
  };
  return (
    <section className={styles.form} aria-label="Reach">
      <p>
        Publishing creates a version; users get it when a channel is set to it.{' '}
        {serving.length > 0
          ? 'These channels keep their live version unless you change it:'
          : 'Set the version live on a channel afterwards.'}
      </p>
      {pin ? (
        <Checkbox.Group value={[...pinned]} onChange={pin}>
          <div className={styles.form}>
            {serving.map(({ id, name, kind, number }) => (
              <Checkbox
                key={id}
                value={id}
                label={`${name}${kind === 'TEST' ? ' (test)' : ''} gets the new version instead of v${number}`}
                description={kind === 'TEST' ? undefined : perDay(id)}
              />
            ))}
          </div>
        </Checkbox.Group>
      ) : (
        <ul>
          {serving.map(({ id, name, kind, number }) => (
            <li key={id}>
              {name}
              {kind === 'TEST' ? ' (test)' : ''} serves v{number}
              {kind === 'TEST' ? '' : ` · ${perDay(id) ?? ''}`}
            </li>
          ))}
        </ul>
      )}
      {experiments.length > 0 && (
        <>
          <p>These experiments keep the versions of their variants:</p>
          <ul className={styles.authors}>
            {experiments.map(({ id, name, channel, numbers, live }) => (
              <li key={id}>
                {name} on {channel}
                {live ? '' : ' (test)'} shows {numbers.map((number) => `v${number}`).join(', ')}
                {live && perDay(live) && <small> · {perDay(live)}</small>}
              </li>
            ))}
          </ul>
        </>
      )}
    </section>
  );
}

/** The range of the question is seven days. */
function startsWords(starts: number): string {
  const daily = Math.round(starts / 7);
  if (starts === 0) return 'No starts in the last 7 days';
  if (daily === 0) return 'Fewer than 1 start per day';
  return `About ${daily.toLocaleString()} ${daily === 1 ? 'start' : 'starts'} per day`;
}
