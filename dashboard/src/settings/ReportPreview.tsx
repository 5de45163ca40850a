import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MailFrame } from '../automations/MailFrame';
import { Failure } from '../ui/Failure';
import { SegmentedControl } from '../ui/SegmentedControl';
import { Waiting } from '../ui/Waiting';
import { reportPreviewQuery, type ScheduledReport } from './queries';
import styles from './ScheduledReports.module.css';

type Props = { app: string; chosen: Pick<ScheduledReport, 'environment' | 'frequency' | 'timeZone'> };

/** Shows the report of the latest period that has ended. */
export function ReportPreview({ app, chosen }: Props) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button variant="subtle" onClick={() => setOpen(true)}>
        Preview
      </Button>
      <Modal
        stackId="preview"
        opened={open}
        onClose={() => setOpen(false)}
        title="Preview"
        size={680}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Email app={app} chosen={chosen} />
      </Modal>
    </>
  );
}

function Email({ app, chosen }: Props) {
  const [form, setForm] = useState('html');
  const { data, error, refetch } = useQuery(reportPreviewQuery(app, chosen));
  const email = data?.data.app?.scheduledReportPreview;
  if (error) return <Failure error={error} retry={() => void refetch()} />;
  if (!email) return <Waiting rows={8} />;
  return (
    <div className={styles.email}>
      <h3>{email.subject}</h3>
      <SegmentedControl
        aria-label="Form"
        value={form}
        onChange={setForm}
        data={[
          { value: 'html', label: 'HTML' },
          { value: 'text', label: 'Text' },
        ]}
      />
      {form === 'html' ? <MailFrame html={email.html} /> : <pre className={styles.text}>{email.text}</pre>}
    </div>
  );
}
