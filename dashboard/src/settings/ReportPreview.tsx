import { Button, Modal } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { MailFrame } from '../automations/MailFrame';
import { Card } from '../ui/Card';
import { SegmentedControl } from '../ui/SegmentedControl';
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
  const answer = useQuery(reportPreviewQuery(app, chosen));
  return (
    <Card
      title={answer.data?.data.app?.scheduledReportPreview?.subject ?? 'Report'}
      answer={answer}
      part={({ app }) => app?.scheduledReportPreview}
      path="app.scheduledReportPreview"
      waiting={{ rows: 8 }}
    >
      {(email) => (
        <>
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
        </>
      )}
    </Card>
  );
}
