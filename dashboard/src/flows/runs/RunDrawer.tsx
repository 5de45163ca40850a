import { Drawer } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { Place } from '../../scope/scope';
import { placeOf } from '../../scope/valueName';
import { Failure } from '../../ui/Failure';
import { formatSeconds } from '../../ui/format';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { Waiting } from '../../ui/Waiting';
import { type RunRecord, runQuery } from './queries';
import { Replay } from './Replay';
import styles from './Runs.module.css';

export const states = { COMPLETED: 'Completed', ABANDONED: 'Abandoned', LAPSED: 'Timed out', OPEN: 'Open' } as const;

/** A run beside the page: who it was, and what they did screen by screen. */
export function RunDrawer({ place, flow, id, close }: { place: Place; flow: string; id: string; close: () => void }) {
  useReturnFocus();
  const answer = useQuery(runQuery(place, flow, id));
  const record = answer.data?.data.flowAnalytics?.run;
  return (
    <Drawer opened onClose={close} size="xl" title="Replay of a run" closeButtonProps={{ 'aria-label': 'Close' }}>
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {answer.isPending && <Waiting rows={10} />}
      {answer.data && !record && <p>This run is no longer stored.</p>}
      {record && (
        <>
          <Who record={record} place={place} />
          <Replay key={id} record={record} />
        </>
      )}
    </Drawer>
  );
}

function Who({ record: { run }, place }: { record: RunRecord; place: Place }) {
  const took = formatSeconds((Date.parse(run.lastAt) - Date.parse(run.startedAt)) / 1000);
  return (
    <p className={styles.who}>
      <Link to="/apps/$app/$environment/people/person" params={place} search={{ device: run.appUserId }}>
        {run.customUserId || run.appUserId}
      </Link>{' '}
      {states[run.state]} after {took}, {new Date(run.startedAt).toLocaleString()}
      <br />
      {[...placeOf(run), run.locale, run.variant && `variant ${run.variant}`].filter(Boolean).join(' · ')}
    </p>
  );
}
