import { Button, Progress } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../graphql/send';
import { kindOf, type Place } from '../scope/scope';
import { Card } from '../ui/Card';
import { Confirm } from '../ui/Confirm';
import { formatExact } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import { ImportPreview } from './ImportPreview';
import styles from './Imports.module.css';
import { NewImport } from './NewImport';
import { type HistoryImport, importsChanged, importsQuery, removeDocument } from './queries';
import { downloadRejects } from './rejects';
import { sources } from './sources';

/** Imports of events from other tools: a new one, and those of before with their results. */
export function ImportsCard({ place }: { place: Place }) {
  const environment = kindOf(place.environment);
  const answer = useQuery(importsQuery(place.app, environment));
  const [opened, open] = useState<string>();
  return (
    <Card
      title="Import"
      answer={answer}
      part={({ app }) => app?.historyImports}
      path="app.historyImports"
      waiting={{ rows: 4 }}
    >
      {(imports) => (
        <>
          <p className={styles.note}>
            Events of another tool become events here, in the {environment === 'LIVE' ? 'live' : 'test'} environment.
            They keep their IDs, so a file can be imported again: nothing is stored twice. An import can be removed as a
            whole.
          </p>
          <NewImport app={place.app} environment={environment} done={open} />
          {imports.length > 0 && (
            <ul className={styles.list}>
              {imports.map((one) => (
                <li key={one.id}>
                  <Row one={one} app={place.app} open={() => open(one.id)} />
                </li>
              ))}
            </ul>
          )}
          {opened && <ImportPreview app={place.app} id={opened} close={() => open(undefined)} />}
        </>
      )}
    </Card>
  );
}

const states: Record<HistoryImport['state'], string> = {
  UPLOADING: 'Upload not complete',
  READY: 'Uploaded, not imported yet',
  RUNNING: 'Importing',
  FINISHED: 'Imported',
  FAILED: 'Failed',
  REMOVING: 'Removing',
};

function Row({ one, app, open }: { one: HistoryImport; app: string; open: () => void }) {
  const { act, busy, problem } = useAct();
  const { id, state, bytes } = one;
  const remove = () =>
    act(async () => {
      await send(removeDocument, { id });
      await importsChanged();
    }, 'remove');
  return (
    <>
      <div className={styles.name}>
        {one.fileName} <span className={styles.beside}>{sources[one.source].name}</span>
      </div>
      <div className={styles.beside}>
        <span data-state={state}>{states[state]}</span> · <When at={one.createdAt} />
        {one.timeZone !== 'UTC' && ` · times in ${one.timeZone}`}
      </div>
      {state === 'RUNNING' && bytes > 0 && (
        <Progress
          className={styles.progress}
          value={Math.min(100, (100 * one.readBytes) / bytes)}
          aria-label={`Progress of ${one.fileName}`}
        />
      )}
      {(state === 'FINISHED' || state === 'FAILED') && <Counts one={one} />}
      <Problem text={one.problem} />
      <div className={styles.acts}>
        {state === 'READY' && (
          <Button variant="default" onClick={open}>
            Preview and import
          </Button>
        )}
        {one.rejected > 0 && (
          <Button
            variant="subtle"
            loading={busy === 'rejects'}
            onClick={() => void act(() => downloadRejects(app, one), 'rejects')}
          >
            Download refused lines
          </Button>
        )}
        {state !== 'REMOVING' && (
          <Confirm
            meaning={
              state === 'FINISHED' || state === 'FAILED' ? 'Remove its events from all reports' : 'Remove this file'
            }
            loading={busy === 'remove'}
            act={() => void remove()}
          >
            Remove
          </Confirm>
        )}
      </div>
      <Problem text={problem} />
    </>
  );
}

function Counts({ one }: { one: HistoryImport }) {
  const counts: [string, number][] = [
    ['stored', one.stored],
    ['stored before', one.duplicates],
    ['left out', one.leftOut],
    ['refused', one.rejected],
  ];
  return (
    <div>
      {counts
        .filter(([name, n]) => n > 0 || name === 'stored')
        .map(([name, n]) => `${formatExact(n, 'count')} ${name}`)
        .join(' · ')}
    </div>
  );
}
