import { Button } from '@mantine/core';
import { useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { send } from '../graphql/send';
import type { Place } from '../scope/scope';
import { Confirm } from '../ui/Confirm';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import { NewReport } from './NewReport';
import {
  deleteReportDocument,
  reportsChanged,
  type ScheduledReport,
  sendReportDocument,
  updateReportDocument,
} from './queries';
import { ReportPreview } from './ReportPreview';
import styles from './ScheduledReports.module.css';

type Props = { reports: readonly ScheduledReport[]; place: Place; access: WorkspaceAccess };

/** Reports of the app that come every week or month. */
export function ScheduledReports({ reports, place, access }: Props) {
  return (
    <>
      <p className={styles.note}>
        A report has the most important metrics beside those of the previous period, what changed most, goals, flows,
        experiments, revenue and data health. It comes at 08:00: weekly reports on Mondays, monthly ones on the first.
      </p>
      {reports.length > 0 && (
        <ul className={styles.list}>
          {reports.map((report) => (
            <li key={report.id}>
              <Report report={report} place={place} access={access} />
            </li>
          ))}
        </ul>
      )}
      <NewReport place={place} access={access} />
    </>
  );
}

type ReportProps = { report: ScheduledReport; place: Place; access: WorkspaceAccess };

function Report({ report, place, access }: ReportProps) {
  const { act, busy, problem } = useAct();
  const [said, setSaid] = useState('');
  const { id, active, destination, frequency } = report;
  const toSlack = destination === 'SLACK';
  const changes = !toSlack || may(access, 'WORKSPACE_MANAGE');
  const sendNow = () =>
    act(async () => {
      setSaid('');
      const { accepted, reason } = (await send(sendReportDocument, { id })).data.sendScheduledReport;
      setSaid(accepted ? 'Sent.' : `Not sent: ${reason}.`);
    }, 'send');
  const pause = () =>
    act(async () => {
      await send(updateReportDocument, { input: { id, active: !active } });
      await reportsChanged();
    }, 'pause');
  const remove = () =>
    act(async () => {
      await send(deleteReportDocument, { id });
      await reportsChanged();
    }, 'delete');
  return (
    <>
      <div className={styles.name}>
        {frequency === 'WEEKLY' ? 'Weekly' : 'Monthly'} to {toSlack ? `Slack (${report.slackUrl})` : report.createdBy}
        {report.environment === 'TEST' && ' · test data'}
      </div>
      <div className={styles.beside}>
        {active ? (
          <>
            Next: <When at={report.nextAt} />
          </>
        ) : (
          'Paused'
        )}
        {` · ${report.timeZone}`}
        {!report.own && ` · by ${report.createdBy}`}
        {report.last && <Last last={report.last} />}
      </div>
      <div className={styles.acts}>
        <ReportPreview app={place.app} chosen={report} />
        {changes && (
          <>
            <Button variant="subtle" loading={busy === 'send'} onClick={() => void sendNow()}>
              Send now
            </Button>
            <Button variant="subtle" loading={busy === 'pause'} onClick={() => void pause()}>
              {active ? 'Pause' : 'Resume'}
            </Button>
            <Confirm meaning="Delete this report" act={() => void remove()} loading={busy === 'delete'}>
              Delete
            </Confirm>
          </>
        )}
        <span role="status">{said}</span>
      </div>
      <Problem text={problem} />
    </>
  );
}

const states: Record<NonNullable<ScheduledReport['last']>['state'], string> = {
  PENDING: 'on its way since',
  SENT: 'sent',
  DROPPED: 'not sent, because the address was not confirmed,',
  FAILED: 'failed',
};

function Last({ last }: { last: NonNullable<ScheduledReport['last']> }) {
  return (
    <>
      {' · Last: '}
      {states[last.state]} <When at={last.at} />
      {last.state === 'FAILED' && ` (${last.reason})`}
    </>
  );
}
