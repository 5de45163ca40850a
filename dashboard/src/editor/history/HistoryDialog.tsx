import { Button, Modal } from '@mantine/core';
import { useInfiniteQuery, useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { localZone } from '../../scope/calendar';
import { Empty } from '../../ui/Empty';
import { Failure } from '../../ui/Failure';
import { countOf, formatTime } from '../../ui/format';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { Waiting } from '../../ui/Waiting';
import styles from './History.module.css';
import { type Entry, historyQuery, oldestQuery } from './queries';
import { type Look, Then } from './Then';

/** How many of the changes of an entry are shown before it is chosen. */
const mostShown = 3;

/** Who changed what in the draft and when, with a picture of it then, and the way back. */
export function HistoryDialog({ flow, look, close }: { flow: string; look: Look; close: () => void }) {
  useReturnFocus();
  const answer = useInfiniteQuery(historyQuery(flow));
  const entries = answer.data?.pages.flatMap(({ nodes }) => nodes);
  const oldest = useQuery(oldestQuery(flow)).data;
  const [chosen, choose] = useState<number>();
  const entry = entries?.find(({ revision }) => revision === chosen) ?? entries?.[0];
  // Each entry is the draft afterwards: what was there before the first of them stands at the end of the list.
  const hasStart = oldest !== undefined && !answer.hasNextPage && entries?.every(({ revision }) => revision > oldest);
  const atStart = hasStart && chosen === oldest;
  return (
    <Modal opened onClose={close} title="History" size={1000} closeButtonProps={{ 'aria-label': 'Close' }}>
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {!entries && !answer.isError && <Waiting height={420} />}
      {entries?.length === 0 && (
        <Empty
          title="No changes yet"
          why="Every change is kept here for 90 days, with who made it, to compare and to restore."
          next={
            <Button variant="default" onClick={close}>
              Back to the editor
            </Button>
          }
        />
      )}
      {entries && entry && (
        <div className={styles.both}>
          <div className={styles.list}>
            {daysOf(entries).map(([day, some]) => (
              <section key={day} aria-label={day}>
                <h3>{day}</h3>
                <ul>
                  {some.map((one) => (
                    <li key={one.revision}>
                      <EntryButton entry={one} chosen={one === entry && !atStart} choose={() => choose(one.revision)} />
                    </li>
                  ))}
                </ul>
              </section>
            ))}
            {hasStart && (
              <button type="button" className={styles.entry} aria-pressed={atStart} onClick={() => choose(oldest)}>
                <b>{startOf(oldest)}</b>
              </button>
            )}
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
          {atStart ? (
            <Then
              key={oldest}
              flow={flow}
              revision={oldest}
              at={startOf(oldest)}
              step={oldest === 1 ? 'Go back to how the flow was made' : 'Go back to before the oldest change'}
              look={look}
              close={close}
            />
          ) : (
            <Then
              key={entry.revision}
              flow={flow}
              revision={entry.revision}
              at={formatTime(entry.to, localZone(), { dateStyle: 'medium', timeStyle: 'short' })}
              latest={entry === entries[0]}
              isGone={oldest !== undefined && entry.revision < oldest}
              look={look}
              close={close}
            />
          )}
        </div>
      )}
    </Modal>
  );
}

const startOf = (revision: number) => (revision === 1 ? 'The flow as it was made' : 'Before the oldest change');

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
