import { Button, MultiSelect, Select, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import type { Capability } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Confirm } from '../ui/Confirm';
import { formatAgo } from '../ui/format';
import { Secret } from '../ui/Secret';
import { useAct } from '../ui/useAct';
import { createApiKeyDocument, revokeApiKeyDocument, type SettingsWorkspace, settingsChanged } from './queries';
import styles from './SettingsPage.module.css';

/** ANALYTICS_READ as the documentation writes it: analytics:read. */
export const capabilityName = (capability: Capability) => capability.toLowerCase().replace('_', ':');

/** Keys that do in the workspace what their maker may, and no more. */
export function ApiKeys({ workspace, access }: { workspace: SettingsWorkspace; access: WorkspaceAccess }) {
  const { act, busy, problem } = useAct();
  const [secret, setSecret] = useState('');
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState<string[]>([]);
  const [app, setApp] = useState('');
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await act(async () => {
      const { data } = await send(createApiKeyDocument, {
        workspace: workspace.id,
        name,
        scopes: scopes as Capability[],
        app: app || null,
      });
      setSecret(data.createApiKey.secret);
      setName('');
      setScopes([]);
      setApp('');
      await settingsChanged();
    }, 'create');
  };
  const revoke = (id: string) =>
    act(async () => {
      await send(revokeApiKeyDocument, { id });
      await settingsChanged();
    }, id);
  return (
    <>
      <ul className={styles.rows}>
        {workspace.apiKeys?.nodes.map(
          ({ id, name, lastFour, clientHost, app, lastUsedAt, revokedAt, scopes, user }) => (
            <li key={id}>
              <b>{name}</b>
              {clientHost ? <span>Connected program at {clientHost}</span> : <code>…{lastFour}</code>}
              {app ? <span>{app.name} only</span> : null}
              <span title={scopes.map(capabilityName).join(', ')}>
                {scopes.length === 1 ? capabilityName(scopes[0]!) : `${scopes.length} rights`}
              </span>
              <span>{user.name || user.email}</span>
              <span>{lastUsedAt ? `used ${formatAgo(lastUsedAt)}` : 'never used'}</span>
              {revokedAt ? (
                <span>revoked</span>
              ) : (
                <Confirm
                  meaning="Programs that use it are refused. Revoke?"
                  act={() => void revoke(id)}
                  loading={busy === id}
                >
                  Revoke
                </Confirm>
              )}
            </li>
          ),
        )}
        {workspace.apiKeys?.nodes.length === 0 && <li>No keys yet. Use one key per program.</li>}
      </ul>
      {may(access, 'STUDIO_READ') && (
        <form className={styles.invite} onSubmit={submit}>
          <TextInput
            aria-label="Name of the key"
            placeholder="Purpose"
            required
            maxLength={80}
            value={name}
            onChange={(event) => setName(event.currentTarget.value)}
          />
          <MultiSelect
            aria-label="Scopes of the key"
            placeholder={scopes.length === 0 ? 'Scopes' : ''}
            miw={260}
            value={scopes}
            onChange={setScopes}
            searchable
            data={access.capabilities.map((value) => ({ value, label: capabilityName(value) }))}
          />
          <Select
            aria-label="App of the key"
            allowDeselect={false}
            value={app}
            onChange={(value) => setApp(value ?? '')}
            data={[
              { value: '', label: 'All apps' },
              ...access.workspace.apps.nodes.map(({ id, name }) => ({ value: id, label: `${name} only` })),
            ]}
          />
          <Button type="submit" variant="default" disabled={scopes.length === 0} loading={busy === 'create'}>
            Create key
          </Button>
        </form>
      )}
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      {secret && <Secret name="The new key" value={secret} close={() => setSecret('')} />}
    </>
  );
}
