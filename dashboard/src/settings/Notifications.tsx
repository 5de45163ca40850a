import { Button, Checkbox } from '@mantine/core';
import { useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import type { NotificationKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import {
  confirmMailDocument,
  type NotificationMail,
  setNotificationMailDocument,
  settingsChanged,
  testMailDocument,
} from './queries';
import styles from './SettingsPage.module.css';

const kinds: Record<NotificationKind, string> = {
  VERSION_HARM: 'A new version does worse than the one before it',
  EXPERIMENT_ENDED: 'An experiment ended',
  EXPERIMENT_SPLIT: 'An experiment is not split as planned',
  INGEST_REFUSED: 'Many events are refused',
  ENDPOINT_DISABLED: 'A webhook endpoint is disabled',
  REVENUE_FAILING: 'A billing connection fails',
  ALERT: 'An alert fires or resolves',
  PUBLISH_REQUESTED: 'Someone asks to publish a draft',
  PLAN_LIMIT_NEAR: '80 % of the plan’s limit are used',
  PLAN_LIMIT_REACHED: 'The plan’s limit is reached',
  SUBSCRIPTION_PAST_DUE: 'A payment is late',
};

type Props = { mail: NotificationMail; access: WorkspaceAccess };

/** Which notifications of the workspace come by email to who is signed in. */
export function Notifications({ mail, access }: Props) {
  const { act, busy, problem } = useAct();
  const [asked, setAsked] = useState(false);
  const workspace = access.workspace.id;
  if (!mail.sends)
    return (
      <p className={styles.note}>
        This server sends no email. Its operator switches it on with the settings <code>smtp_host</code> and{' '}
        <code>mail_from</code>. The bell has all notifications.
      </p>
    );
  const choose = (kind: NotificationKind, on: boolean) =>
    act(async () => {
      const next = on ? [...mail.kinds, kind] : mail.kinds.filter((other) => other !== kind);
      await send(setNotificationMailDocument, { workspace, kinds: next });
      await settingsChanged();
    }, kind);
  const confirm = () =>
    act(async () => {
      await send(confirmMailDocument, {});
      setAsked(true);
    }, 'confirm');
  return (
    <>
      {mail.confirmed ? (
        <p className={styles.note}>
          Sent to <b>{mail.address}</b>. The choice is yours alone.
        </p>
      ) : (
        <div className={styles.group}>
          <p className={styles.note}>
            {asked ? (
              <span role="status">
                A link is on its way to <b>{mail.address}</b>. Follow it within a day.
              </span>
            ) : (
              <>
                Nothing is sent to <b>{mail.address}</b> until you confirm that the address is yours.
              </>
            )}
          </p>
          <Button variant="default" loading={busy === 'confirm'} onClick={() => void confirm()}>
            {asked ? 'Send another link' : 'Send link'}
          </Button>
        </div>
      )}
      <fieldset className={styles.choices} aria-label="Notifications by email">
        {(Object.keys(kinds) as NotificationKind[]).map((kind) => (
          <Checkbox
            key={kind}
            label={kinds[kind]}
            checked={mail.kinds.includes(kind)}
            disabled={busy !== ''}
            onChange={(event) => void choose(kind, event.currentTarget.checked)}
          />
        ))}
      </fieldset>
      <Problem text={problem} />
      {may(access, 'WORKSPACE_MANAGE') && <TestMail workspace={workspace} address={mail.address} />}
    </>
  );
}

/** Sends a test message at once and shows whether the SMTP server accepted it. */
function TestMail({ workspace, address }: { workspace: string; address: string }) {
  const { act, busy, problem } = useAct();
  const [said, setSaid] = useState('');
  const test = () =>
    act(async () => {
      setSaid('');
      const { accepted, reason } = (await send(testMailDocument, { workspace })).data.sendTestMail;
      setSaid(accepted ? `Sent to ${address}.` : `Not sent: ${reason}.`);
    });
  return (
    <>
      <Button variant="default" loading={busy !== ''} onClick={() => void test()}>
        Send test message
      </Button>
      <p className={styles.note} role="status">
        {said}
      </p>
      <Problem text={problem} />
    </>
  );
}
