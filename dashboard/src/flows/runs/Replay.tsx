import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useEffect, useMemo, useState } from 'react';
import { formatSeconds } from '../../ui/format';
import { useLook } from '../preview/look';
import { screensOf } from '../preview/manifest';
import { ScreenFrame } from '../preview/ScreenFrame';
import { type RunRecord, versionQuery } from './queries';
import styles from './Runs.module.css';
import { visitsOf } from './replay';

/** How long a screen stands while the replay runs, in milliseconds. */
const beat = 1500;

/** The screens of the very version that somebody saw, in their order, with what they did on each. */
export function Replay({ record }: { record: RunRecord }) {
  const visits = useMemo(() => visitsOf(record), [record]);
  const [at, setAt] = useState(0);
  const [plays, setPlays] = useState(false);
  const version = useQuery(versionQuery(record.run.versionId)).data?.data.flowVersion;
  const look = useLook(version?.manifest);
  const last = visits.length - 1;
  const visit = visits[at];
  useEffect(() => {
    if (!plays) return;
    const timer = setInterval(() => setAt((before) => Math.min(last, before + 1)), beat);
    return () => clearInterval(timer);
  }, [plays, last]);
  useEffect(() => {
    if (at >= last) setPlays(false);
  }, [at, last]);
  const names = useMemo(
    () => new Map(screensOf(version?.manifest).map(({ id, name }) => [id, name])),
    [version?.manifest],
  );
  const screen = visit && names.has(visit.stepId) ? visit.stepId : undefined;
  const shown = useMemo(
    () =>
      look && version && screen
        ? { ...look, manifest: version.manifest, screen, locale: record.run.locale || undefined }
        : undefined,
    [look, version, screen, record.run.locale],
  );
  if (!visit) return <p>This run saw no screen.</p>;
  const nameOf = (id: string) => names.get(id) ?? id;
  return (
    <div className={styles.replay}>
      <div className={styles.stage}>
        {shown ? (
          <ScreenFrame shown={shown} name={`Screen ${nameOf(visit.stepId)}`} width={260} />
        ) : (
          <p className={styles.missing}>{version ? `${nameOf(visit.stepId)} has no screen.` : ''}</p>
        )}
        <div className={styles.controls}>
          <Button variant="default" disabled={at === 0} onClick={() => setAt(at - 1)}>
            Back
          </Button>
          <Button
            onClick={() => {
              if (at >= last) setAt(0);
              setPlays(!plays);
            }}
          >
            {plays ? 'Pause' : 'Play'}
          </Button>
          <Button variant="default" disabled={at >= last} onClick={() => setAt(at + 1)}>
            Next
          </Button>
        </div>
        <small aria-live="polite">
          {at + 1} of {visits.length}
          {version && `, version ${version.number}`}
        </small>
      </div>
      <ol className={styles.visits}>
        {visits.map(({ stepId, seconds, acts, at: time }, i) => (
          <li key={`${time} ${stepId}`} aria-current={i === at ? 'step' : undefined}>
            <button type="button" onClick={() => setAt(i)}>
              <b>{nameOf(stepId)}</b>
              <small>{seconds === null ? '' : formatSeconds(seconds)}</small>
            </button>
            {acts.length > 0 && (
              <ul>
                {acts.map(({ at, what, value }) => (
                  <li key={`${at} ${what} ${value}`}>
                    {what} {value && <b>{value}</b>}
                  </li>
                ))}
              </ul>
            )}
          </li>
        ))}
      </ol>
    </div>
  );
}
