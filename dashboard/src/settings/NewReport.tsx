import { Button, Modal, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import type { ReportDestination, ReportFrequency } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { localZone } from '../scope/calendar';
import { kindOf, type Place } from '../scope/scope';
import { Problem } from '../ui/Problem';
import { SegmentedControl } from '../ui/SegmentedControl';
import { useAct } from '../ui/useAct';
import { createReportDocument, reportsChanged } from './queries';
import { ReportPreview } from './ReportPreview';
import styles from './ScheduledReports.module.css';

/** Schedules a report of the app. */
export function NewReport({ place, access }: { place: Place; access: WorkspaceAccess }) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New report</Button>
      <Modal.Stack>
        <Modal
          stackId="report"
          opened={open}
          onClose={() => setOpen(false)}
          title="New report"
          closeButtonProps={{ 'aria-label': 'Close' }}
        >
          <Form place={place} access={access} close={() => setOpen(false)} />
        </Modal>
      </Modal.Stack>
    </>
  );
}

type FormProps = { place: Place; access: WorkspaceAccess; close: () => void };

function Form({ place, access, close }: FormProps) {
  const [frequency, setFrequency] = useState<ReportFrequency>('WEEKLY');
  const [destination, setDestination] = useState<ReportDestination>('EMAIL');
  const [timeZone, setTimeZone] = useState(localZone());
  const [slackUrl, setSlackUrl] = useState('');
  const { busy, problem, run } = useAct();
  const environment = kindOf(place.environment);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const input = { appId: place.app, environment, frequency, timeZone, destination };
    const toSlack = destination === 'SLACK' ? { slackUrl } : {};
    if (!(await run(() => send(createReportDocument, { input: { ...input, ...toSlack } })))) return;
    await reportsChanged();
    close();
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <SegmentedControl
        aria-label="Frequency"
        value={frequency}
        onChange={(value) => setFrequency(value as ReportFrequency)}
        data={[
          { value: 'WEEKLY', label: 'Weekly' },
          { value: 'MONTHLY', label: 'Monthly' },
        ]}
      />
      {may(access, 'WORKSPACE_MANAGE') && (
        <SegmentedControl
          aria-label="Destination"
          value={destination}
          onChange={(value) => setDestination(value as ReportDestination)}
          data={[
            { value: 'EMAIL', label: 'Email to you' },
            { value: 'SLACK', label: 'Slack' },
          ]}
        />
      )}
      {destination === 'SLACK' && (
        <TextInput
          label="Webhook URL"
          description="Of an incoming webhook of the Slack channel. Nobody can read it here afterwards."
          placeholder="https://hooks.slack.com/services/…"
          type="url"
          required
          value={slackUrl}
          onChange={(event) => setSlackUrl(event.target.value)}
        />
      )}
      <Select
        label="Time zone"
        value={timeZone}
        searchable
        limit={50}
        allowDeselect={false}
        onChange={(value) => setTimeZone(value ?? 'UTC')}
        comboboxProps={{ withinPortal: false }}
        data={[...new Set(['UTC', localZone(), ...Intl.supportedValuesOf('timeZone')])]}
      />
      <Problem text={problem} />
      <div className={styles.acts}>
        <Button type="submit" loading={busy !== ''}>
          Schedule report
        </Button>
        <ReportPreview app={place.app} chosen={{ environment, frequency, timeZone }} />
      </div>
    </form>
  );
}
