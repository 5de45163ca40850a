import { Button, Modal } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { localZone } from '../../scope/calendar';
import { Failure } from '../../ui/Failure';
import { countOf, formatTime } from '../../ui/format';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { Waiting } from '../../ui/Waiting';
import styles from './History.module.css';
import { type Entry, historyQuery } from './queries';
import { type Look, Then } from './Then';

/** How many of the changes of an entry are shown before it is chosen. */
const mostShown = 3;

/** Who changed what in the draft and when, with a picture of it then, and the way back. */
export function HistoryDialog({ flow, look, close }: { flow: string; look: Look; close: () => void }) {
  useReturnFocus();
  const answer = useInfiniteQuery(historyQuery(flow));
  const entries = answer.data?.pages.flatMap(({ nodes }) => nodes);
  const [chosen, choose] = useState<number>();
  const entry = entries?.find(({ revision }) => revision === chosen) ?? entries?.[0];
  return (
    <Modal opened onClose={close} title="History" size={1000} closeButtonProps={{ 'aria-label': 'Close' }}>
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {!entries && !answer.isError && <Waiting height={420} />}
      {entries?.length === 0 && <p className={styles.none}>Nothing was changed in the last 90 days.</p>}
      {entries && entry && (
        <div className={styles.both}>
          <div className={styles.list}>
            {daysOf(entries).map(([day, some]) => (
              <section key={day} aria-label={day}>
                <h3>{day}</h3>
                <ul>
                  {some.map((one) => (
                    <li key={one.revision}>
                      <EntryButton entry={one} chosen={one === entry} choose={() => choose(one.revision)} />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
            {answer.hasNextPage && (
              <Button
                variant="default"
                size="xs"
                loading={answer.isFetchingNextPage}
                onClick={() => void answer.fetchNextPage()}
              >
                Show older
              </Button>
            )}
          </div>
          <Then
            key={entry.revision}
            flow={flow}
            entry={entry}
            latest={entry === entries[0]}
            look={look}
            close={close}
          />
        </div>
      )}
    </Modal>
  );
}

function EntryButton({ entry, chosen, choose }: { entry: Entry; chosen: boolean; choose: () => void }) {
  const { changes, edits } = entry;
  const shown = chosen ? changes : changes.slice(0, mostShown);
  return (
    <button type="button" className={styles.entry} aria-pressed={chosen} onClick={choose}>
      <b>{entry.person ?? 'A former member'}</b>
      <small>
        {timesOf(entry)} · {countOf(edits, 'edit')}
      </small>
      <span className={styles.changes}>
        {shown.map((change) => (
          <span key={change}>{change}</span>
        ))}
        {changes.length > shown.length && <span>and {changes.length - shown.length} more</span>}
      </span>
    </button>
  );
}

const time = { timeStyle: 'short' } as const;

function timesOf({ from, to }: Entry): string {
  const [first, last] = [from, to].map((at) => formatTime(at, localZone(), time));
  return first === last ? first! : `${first} – ${last}`;
}

function daysOf(entries: readonly Entry[]): [string, Entry[]][] {
  const days = new Map<string, Entry[]>();
  for (const entry of entries) {
    const day = formatTime(entry.to, localZone(), { dateStyle: 'full' });
    days.set(day, [...(days.get(day) ?? []), entry]);
  }
  return [...days];
}
