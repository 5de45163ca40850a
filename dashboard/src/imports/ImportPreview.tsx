import { Button, Modal, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type DataOf, graphql } from '../graphql/graphql';
import { query } from '../graphql/query';
import { send } from '../graphql/send';
import { localZone } from '../scope/calendar';
import { Failure } from '../ui/Failure';
import { formatTime } from '../ui/format';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import styles from './Imports.module.css';
import { importsChanged, startDocument } from './queries';
import { sources } from './sources';

const document = graphql<'HistoryPreview'>(`
  query HistoryPreview($app: ID!, $id: ID!, $timeZone: String!) {
    app(id: $app) {
      historyImport(id: $id) {
        id source fileName
        preview(timeZone: $timeZone) {
          events { line name at appUserId page source country properties }
          rejects { line code message }
          totals { day dimension value visitors sessions views }
          leftOut problem
        }
      }
    }
  }`);

type Previewed = NonNullable<NonNullable<DataOf<'HistoryPreview'>['app']>['historyImport']>;

/** What the first lines of an uploaded file become, and the start of its import. */
export function ImportPreview({ app, id, close }: { app: string; id: string; close: () => void }) {
  const [timeZone, setTimeZone] = useState(localZone());
  const { data, error, refetch } = useQuery(query(document, [app, id, timeZone], () => ({ app, id, timeZone })));
  const found = data?.data.app?.historyImport;
  const { act, busy, problem } = useAct();
  const start = async () => {
    const done = await act(async () => {
      await send(startDocument, { id, timeZone });
      await importsChanged();
    });
    if (done) close();
  };
  return (
    <Modal opened onClose={close} size="xl" title="Preview" closeButtonProps={{ 'aria-label': 'Close' }}>
      {error && <Failure error={error} retry={() => void refetch()} />}
      {!found && !error && <Waiting rows={8} />}
      {found && (
        <>
          {!sources[found.source].hasZone && (
            <Select
              label="Time zone"
              description="Of times that name none"
              w={280}
              searchable
              allowDeselect={false}
              value={timeZone}
              onChange={(value) => value && setTimeZone(value)}
              data={[...new Set(['UTC', localZone(), ...Intl.supportedValuesOf('timeZone')])]}
            />
          )}
          <Lines found={found} timeZone={timeZone} />
          <div className={styles.acts}>
            <Button loading={busy !== ''} disabled={found.preview.problem !== ''} onClick={() => void start()}>
              Import {found.fileName}
            </Button>
          </div>
          <Problem text={problem} />
        </>
      )}
    </Modal>
  );
}

function Lines({ found: { preview }, timeZone }: { found: Previewed; timeZone: string }) {
  const { events, totals, rejects, leftOut } = preview;
  if (preview.problem) return <Problem text={`The file can’t be read: ${preview.problem}`} />;
  return (
    <>
      {rejects.length > 0 && (
        <ul className={styles.refused} aria-label="Refused lines">
          {rejects.map(({ line, message }) => (
            <li key={line}>
              Line {line}: {message}
            </li>
          ))}
        </ul>
      )}
      {leftOut > 0 && <p className={styles.note}>{leftOut} lines are no act of a user and are left out.</p>}
      {totals.length > 0 && <Totals totals={totals} />}
      <div className={styles.scroll} hidden={totals.length > 0}>
        <table className={styles.events}>
          <thead>
            <tr>
              {['Line', 'Time', 'Event', 'Page', 'User', 'Source', 'Country', 'Properties'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {events.map((event) => (
              <tr key={event.line}>
                <td>{event.line}</td>
                <td>{formatTime(event.at, timeZone, { dateStyle: 'medium', timeStyle: 'medium' })}</td>
                <td>{event.name}</td>
                <td>{event.page}</td>
                <td>{event.appUserId}</td>
                <td>{event.source}</td>
                <td>{event.country}</td>
                <td>{event.properties}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}

/** Rows of tables that hold what a tool counted per day. */
function Totals({ totals }: { totals: Previewed['preview']['totals'] }) {
  return (
    <>
      <p className={styles.note}>
        Totals per day, no events: reports show them beside their own numbers. Days that another import brought are
        passed over.
      </p>
      <div className={styles.scroll}>
        <table className={styles.events}>
          <thead>
            <tr>
              {['Day', 'Of', 'Value', 'Visitors', 'Sessions', 'Views'].map((name) => (
                <th key={name} scope="col">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {totals.map(({ day, dimension, value, visitors, sessions, views }) => (
              <tr key={`${day} ${dimension} ${value}`}>
                <td>{day}</td>
                <td>{dimension || 'day'}</td>
                <td>{value}</td>
                <td>{visitors}</td>
                <td>{sessions}</td>
                <td>{views}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
    </>
  );
}
