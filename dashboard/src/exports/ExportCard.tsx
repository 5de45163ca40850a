import { Button } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import type { EnvironmentKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { formatBytes } from '../media/files';
import { kindOf, type Place } from '../scope/scope';
import { Card } from '../ui/Card';
import { Confirm } from '../ui/Confirm';
import { formatExact } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import styles from './Export.module.css';
import { ExportForm } from './ExportForm';
import { exportChanged, exportQuery, type ParquetExport, removeExportDocument, runExportDocument } from './queries';

/** Where the environment is exported to as Parquet files, how often, and what the last run did. */
export function ExportCard({ place }: { place: Place }) {
  const environment = kindOf(place.environment);
  const answer = useQuery(exportQuery(place.app, environment));
  const failed = (answer.data?.problems.length ?? 0) > 0;
  return (
    <Card
      title="Parquet export"
      answer={answer}
      part={({ app }) => (failed ? null : app && { stored: app.parquetExport })}
      path="app.parquetExport"
      waiting={{ rows: 4 }}
    >
      {({ stored }) => (
        <>
          <p className={styles.note}>
            Everything stored in the {environment === 'LIVE' ? 'live' : 'test'} environment as Parquet files in your own
            bucket, one per table and day, for DuckDB, ClickHouse and Spark. Each run writes the days that have changed,
            so erased users leave the files with the next one.{' '}
            <a href="/docs/parquet" target="_blank" rel="noopener">
              Tables and columns
            </a>
          </p>
          <Content key={environment} stored={stored} app={place.app} environment={environment} />
        </>
      )}
    </Card>
  );
}

type ContentProps = { stored: ParquetExport | null; app: string; environment: EnvironmentKind };

function Content({ stored, app, environment }: ContentProps) {
  const [editing, edit] = useState(false);
  if (stored && !editing) return <Status stored={stored} edit={() => edit(true)} />;
  return <ExportForm stored={stored} app={app} environment={environment} close={() => edit(false)} />;
}

const often = { NEVER: 'When you run it', HOURLY: 'Every hour', DAILY: 'Every day' } as const;

function Status({ stored, edit }: { stored: ParquetExport; edit: () => void }) {
  const { act, busy, problem } = useAct();
  const { id, endpoint, bucket, prefix, frequency, nextRunAt, lastRun } = stored;
  const change = (name: string, document: typeof runExportDocument | typeof removeExportDocument) =>
    void act(async () => {
      await send(document, { id });
      await exportChanged();
    }, name);
  const isDue = nextRunAt !== null && Date.parse(nextRunAt) <= Date.now();
  return (
    <>
      <dl className={styles.facts}>
        <dt>Destination</dt>
        <dd>
          <code>{`s3://${[bucket, prefix].filter(Boolean).join('/')}`}</code>{' '}
          <span className={styles.beside}>{endpoint}</span>
        </dd>
        <dt>Schedule</dt>
        <dd>
          {often[frequency]}
          {nextRunAt && (
            <span className={styles.beside}>
              {' · '}
              {isDue ? (
                'next run starts now'
              ) : (
                <>
                  next run <When at={nextRunAt} />
                </>
              )}
            </span>
          )}
        </dd>
        <dt>Last run</dt>
        <dd>{lastRun ? <LastRun run={lastRun} succeededAt={stored.succeededAt} /> : 'Not run yet'}</dd>
      </dl>
      <div className={styles.acts}>
        <Button
          variant="default"
          loading={busy === 'run'}
          disabled={isDue || lastRun?.state === 'RUNNING'}
          onClick={() => change('run', runExportDocument)}
        >
          Run now
        </Button>
        <Button variant="default" onClick={edit}>
          Edit
        </Button>
        <Confirm
          meaning="Files in the bucket stay. Remove the export and its keys?"
          loading={busy === 'remove'}
          act={() => change('remove', removeExportDocument)}
        >
          Remove
        </Confirm>
      </div>
      <Problem text={problem} />
    </>
  );
}

const states = { RUNNING: 'Running', SUCCEEDED: 'Succeeded', FAILED: 'Failed' } as const;

type LastRunProps = { run: NonNullable<ParquetExport['lastRun']>; succeededAt: string | null };

function LastRun({ run, succeededAt }: LastRunProps) {
  const { state, startedAt, finishedAt, files, unchanged, removed, rows, bytes, problem } = run;
  const counts = [
    `${formatExact(files, 'count')} files written (${formatExact(rows, 'count')} rows, ${formatBytes(bytes)})`,
    unchanged > 0 && `${formatExact(unchanged, 'count')} unchanged`,
    removed > 0 && `${formatExact(removed, 'count')} removed`,
  ];
  return (
    <>
      <div>
        <span className={styles.state} data-state={state}>
          {states[state]}
        </span>
        <span className={styles.beside}>
          {' · '}
          {finishedAt ? (
            <When at={finishedAt} />
          ) : (
            <>
              since <When at={startedAt} />
            </>
          )}
        </span>
      </div>
      <Problem text={problem} />
      <div>{counts.filter(Boolean).join(' · ')}</div>
      {state === 'FAILED' && succeededAt && (
        <div className={styles.beside}>
          Last success: <When at={succeededAt} />
        </div>
      )}
    </>
  );
}
