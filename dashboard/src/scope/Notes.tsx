import { Button, Drawer, Textarea } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../app/session/session';
import { formatBucket, formatTime } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { annotationsOf, annotationsQuery, createNote, deleteNote, type Note, updateNote } from './annotations';
import { bucketEnd } from './range';
import styles from './ScopeBar.module.css';
import { grainOf, zoneOf } from './scope';
import { useView } from './useView';

const appRoute = getRouteApi('/apps/$app/$environment');

const longest = 280;

/** What happened in a bucket of a chart: the changes that the server saw, and notes by hand to write and to edit. */
export function Notes({ bucket }: { bucket: string }) {
  const { place, search, change } = useView();
  const { access } = appRoute.useRouteContext();
  const answer = useQuery(annotationsQuery(place, search));
  const [zone, grain] = [zoneOf(search), grainOf(search, new Date())];
  const end = bucketEnd(zone, new Date(bucket), grain).toISOString();
  const within = ({ at }: { at: string }) => Date.parse(at) >= Date.parse(bucket) && Date.parse(at) < Date.parse(end);
  const app = answer.data?.data.app;
  const notes = (app?.notes?.nodes ?? []).filter(within);
  const marks = annotationsOf({ app: app ? { chartMarks: app.chartMarks, notes: null } : null }).filter(within);
  return (
    <Drawer
      opened
      onClose={() => change({ note: undefined })}
      position="right"
      title={`Notes of ${formatBucket(bucket, zone, grain, true)}`}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <ul className={styles.notes} aria-label="Notes">
        {notes.map((note) => (
          <Written key={note.id} note={note} zone={zone} />
        ))}
        {marks.map(({ at, text }) => (
          <li key={`${at} ${text}`}>
            <p>{text}</p>
            <time dateTime={at}>{formatTime(at, zone, { dateStyle: 'medium', timeStyle: 'short' })}</time>
          </li>
        ))}
        {answer.data && notes.length + marks.length === 0 && <li>No notes or changes here.</li>}
      </ul>
      {may(access, 'VIEW_MANAGE') && (
        <Form key={notes.length} act="Write" save={(text) => createNote(place, bucket, text)} />
      )}
    </Drawer>
  );
}

function Written({ note, zone }: { note: Note; zone: string }) {
  const { id, at, text, author, editable } = note;
  const [edits, setEdits] = useState(false);
  const { act, busy, problem } = useAct();
  if (edits)
    return (
      <li>
        <Form
          act="Save"
          text={text}
          save={async (text) => {
            await updateNote(id, text);
            setEdits(false);
          }}
        />
      </li>
    );
  return (
    <li>
      <p>{text}</p>
      <time dateTime={at}>
        {formatTime(at, zone, { dateStyle: 'medium', timeStyle: 'short' })}
        {author && `, ${author.name || author.email}`}
      </time>
      {editable && (
        <div className={styles.acts}>
          <Button variant="default" onClick={() => setEdits(true)}>
            Change
          </Button>
          <Button variant="default" loading={busy !== ''} onClick={() => void act(() => deleteNote(id))}>
            Delete
          </Button>
        </div>
      )}
      <Problem text={problem} />
    </li>
  );
}

function Form({ act: name, text = '', save }: { act: string; text?: string; save: (text: string) => Promise<void> }) {
  const [typed, setTyped] = useState(text);
  const { act, busy, problem } = useAct();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    void act(() => save(typed.trim()));
  };
  return (
    <form className={styles.keep} onSubmit={submit}>
      <Textarea
        label="Chart note"
        description={`${[...typed].length} of ${longest} characters. All members of the workspace see it.`}
        autosize
        minRows={2}
        data-autofocus
        value={typed}
        onChange={(event) => setTyped(event.target.value)}
      />
      <Problem text={problem} />
      <Button
        type="submit"
        variant="default"
        loading={busy !== ''}
        disabled={typed.trim() === '' || [...typed.trim()].length > longest || typed === text}
      >
        {name}
      </Button>
    </form>
  );
}
