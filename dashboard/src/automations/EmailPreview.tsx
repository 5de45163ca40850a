import { Button, TextInput } from '@mantine/core';
import { useDebouncedValue } from '@mantine/hooks';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { send } from '../graphql/send';
import { Failure } from '../ui/Failure';
import { Problem } from '../ui/Problem';
import { SegmentedControl } from '../ui/SegmentedControl';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import styles from './EmailPreview.module.css';
import { MailFrame } from './MailFrame';
import { emailPreviewQuery, sendTestEmailDocument } from './queries';

type Props = {
  automation: string;
  /** Id of the step. */
  node: string;
  /** Whether the step is in the saved draft as it is shown: the server knows no other one. */
  saved: boolean;
};

/** An email as a user would get it, and a copy of it for who writes it. */
export function EmailPreview({ automation, node, saved }: Props) {
  const [typed, setTyped] = useState('');
  const [user] = useDebouncedValue(typed.trim(), 300);
  const [form, setForm] = useState('html');
  const { run, busy, problem } = useAct();
  const [sent, setSent] = useState('');
  const answer = useQuery({ ...emailPreviewQuery(automation, node, user), enabled: saved });
  const email = saved && answer.data?.data.automation?.emailPreview;
  const test = async () => {
    setSent('');
    const done = await run(() => send(sendTestEmailDocument, { automation, node, user: user || null }));
    if (!done) return;
    const { to, accepted, reason } = done.data.sendAutomationTestEmail;
    setSent(accepted ? `Sent to ${to}.` : `${to} did not get it: ${reason}`);
  };
  return (
    <section className={styles.preview} aria-label="Preview">
      <div className={styles.head}>
        <h3>Preview</h3>
        <SegmentedControl
          size="xs"
          aria-label="Form"
          value={form}
          onChange={setForm}
          data={[
            { value: 'html', label: 'HTML' },
            { value: 'text', label: 'Text' },
          ]}
        />
      </div>
      <TextInput
        size="xs"
        label="For the user"
        placeholder="Nobody: nothing is known"
        description="An app user ID"
        maxLength={256}
        value={typed}
        onChange={({ target }) => setTyped(target.value)}
      />
      {!saved && <p className={styles.note}>Save the draft to see the email as it is now.</p>}
      {saved && answer.error && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {saved && !answer.data && !answer.error && <Waiting rows={4} />}
      {email && !answer.error && (
        <>
          <dl className={styles.lines}>
            <dt>To</dt>
            <dd>{email.to || 'the user’s address'}</dd>
            <dt>Subject</dt>
            <dd>{email.subject || '(none)'}</dd>
          </dl>
          {form === 'html' ? <MailFrame html={email.html} /> : <pre className={styles.text}>{email.text}</pre>}
        </>
      )}
      <Button variant="default" size="xs" disabled={!email} loading={busy !== ''} onClick={() => void test()}>
        Send a test to me
      </Button>
      <Problem text={problem} />
      {sent && <p role="status">{sent}</p>}
    </section>
  );
}
