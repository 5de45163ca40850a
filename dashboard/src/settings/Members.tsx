import { Button, CopyButton, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { explain } from '../graphql/problems';
import type { Role } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import styles from './SettingsPage.module.css';
import { inviteDocument, type SettingsWorkspace, settingsChanged } from './settings';

const roles: Record<Role, string> = { OWNER: 'Owner', ADMIN: 'Administrator', EDITOR: 'Editor', VIEWER: 'Viewer' };

/** Who may enter the workspace, and who was invited. */
export function Members({ workspace, access }: { workspace: SettingsWorkspace; access: WorkspaceAccess }) {
  return (
    <>
      <ul className={styles.rows}>
        {workspace.members?.nodes.map(({ id, role, user }) => (
          <li key={id}>
            <b>{user.name || user.email}</b>
            <span>{user.email}</span>
            <span>{roles[role]}</span>
          </li>
        ))}
        {workspace.invitations?.nodes.map(({ id, email, role, expiresAt }) => (
          <li key={id}>
            <b>{email}</b>
            <span>{Date.parse(expiresAt) > Date.now() ? 'invited' : 'the invitation has expired'}</span>
            <span>{roles[role]}</span>
          </li>
        ))}
      </ul>
      {may(access, 'MEMBERS_MANAGE') && <Invite workspace={workspace.id} />}
    </>
  );
}

/** Makes a link that a new member opens; the server sends no mail. */
function Invite({ workspace }: { workspace: string }) {
  const [email, setEmail] = useState('');
  const [role, setRole] = useState<Role>('VIEWER');
  const [link, setLink] = useState('');
  const [problem, setProblem] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem('');
    try {
      const { data } = await send(inviteDocument, { workspace, email, role });
      setLink(`${location.origin}/setup?token=${data.inviteMember.setupToken}`);
      setEmail('');
      await settingsChanged();
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
  };
  return (
    <form className={styles.invite} onSubmit={submit}>
      <TextInput
        type="email"
        aria-label="E-mail of who is invited"
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
        data={(['VIEWER', 'EDITOR', 'ADMIN'] as const).map((value) => ({ value, label: roles[value] }))}
      />
      <Button type="submit" variant="default">
        Invite
      </Button>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      {link && (
        <p className={styles.link} role="status">
          Send them this link. It works once, for seven days: <code>{link}</code>
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
