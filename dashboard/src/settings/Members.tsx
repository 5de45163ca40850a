import { Button, CopyButton, Select, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may, type WorkspaceAccess } from '../app/session/session';
import type { Role } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Confirm } from '../ui/Confirm';
import { ConfirmName } from '../ui/ConfirmName';
import { useAct } from '../ui/useAct';
import {
  changeRoleDocument,
  inviteDocument,
  removeMemberDocument,
  revokeInvitationDocument,
  type SettingsWorkspace,
  settingsChanged,
  transferDocument,
} from './queries';
import styles from './SettingsPage.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

const roles: Record<Role, string> = { OWNER: 'Owner', ADMIN: 'Administrator', EDITOR: 'Editor', VIEWER: 'Viewer' };
const given = (['VIEWER', 'EDITOR', 'ADMIN'] as const).map((value) => ({ value, label: roles[value] }));

/** Who may enter the workspace, and who was invited. */
export function Members({ workspace, access }: { workspace: SettingsWorkspace; access: WorkspaceAccess }) {
  const { viewer } = appRoute.useRouteContext();
  const { act, busy, problem } = useAct();
  const editable = may(access, 'MEMBERS_MANAGE');
  const owns = workspace.members?.nodes.some(({ role, user }) => role === 'OWNER' && user.id === viewer.userId);
  const change = (run: () => Promise<unknown>, name: string) =>
    void act(async () => {
      await run();
      await settingsChanged();
    }, name);
  return (
    <>
      <ul className={styles.rows}>
        {workspace.members?.nodes.map(({ id, role, user }) => (
          <li key={id}>
            <b>{user.name || user.email}</b>
            {user.name && <span>{user.email}</span>}
            {editable && role !== 'OWNER' && user.id !== viewer.userId ? (
              <>
                <Select
                  size="xs"
                  w={130}
                  aria-label={`Role of ${user.email}`}
                  value={role}
                  allowDeselect={false}
                  data={given}
                  onChange={(role) =>
                    change(
                      () => send(changeRoleDocument, { workspace: workspace.id, user: user.id, role: role as Role }),
                      id,
                    )
                  }
                />
                {owns && (
                  <ConfirmName
                    act="Transfer ownership"
                    name={user.email}
                    change={async () => {
                      await send(transferDocument, { workspace: workspace.id, user: user.id });
                      location.reload(); // what this reader may do has changed on every page
                    }}
                  >
                    They become the owner of the workspace and you an administrator. Only they can transfer it back.
                  </ConfirmName>
                )}
                <Confirm
                  meaning={`Keys of ${user.name || user.email} stop working too. Remove?`}
                  loading={busy === id}
                  act={() => change(() => send(removeMemberDocument, { workspace: workspace.id, user: user.id }), id)}
                >
                  Remove
                </Confirm>
              </>
            ) : (
              <span>{roles[role]}</span>
            )}
          </li>
        ))}
        {workspace.invitations?.nodes.map(({ id, email, role, expiresAt }) => (
          <li key={id}>
            <b>{email}</b>
            <span>{Date.parse(expiresAt) > Date.now() ? 'invited' : 'invitation expired'}</span>
            <span>{roles[role]}</span>
            {editable && (
              <Confirm
                meaning="The link stops working. Revoke?"
                loading={busy === id}
                act={() => change(() => send(revokeInvitationDocument, { id }), id)}
              >
                Revoke
              </Confirm>
            )}
          </li>
        ))}
      </ul>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      {editable && <Invite workspace={workspace.id} mails={workspace.notificationMail?.sends ?? false} />}
    </>
  );
}

/** Makes a link that a new member opens. A server that sends email sends one with a link of its own. */
function Invite({ workspace, mails }: { workspace: string; mails: boolean }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('VIEWER');
  const [link, setLink] = useState('');
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const { data } = await send(inviteDocument, { workspace, email, role });
      setLink(`${location.origin}/setup?token=${data.inviteMember.setupToken}`);
      setEmail('');
      await settingsChanged();
    });
  };
  return (
    <form className={styles.invite} onSubmit={submit}>
      <TextInput
        type="email"
        aria-label="Email of the new member"
        placeholder="name@example.com"
        required
        value={email}
        onChange={(event) => setEmail(event.target.value)}
      />
      <Select
        aria-label="Role"
        w={140}
        value={role}
        onChange={(value) => setRole(value as Role)}
        allowDeselect={false}
        data={given}
      />
      <Button type="submit" variant="default" loading={busy !== ''}>
        Invite
      </Button>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      {link && (
        <p className={styles.link} role="status">
          {mails
            ? 'An invitation is on its way by email. This link works as well'
            : 'Send this link to the new member. It works'}{' '}
          once, for seven days: <code>{link}</code>
          <CopyButton value={link}>
            {({ copied, copy }) => (
              <Button variant="subtle" onClick={copy}>
                {copied ? 'Copied' : 'Copy'}
              </Button>
            )}
          </CopyButton>
        </p>
      )}
    </form>
  );
}
