import { Button, Checkbox, Select } from '@mantine/core';
import { useState } from 'react';
import { Brand } from '../app/session/Brand';
import { may, type Viewer } from '../app/session/session';
import type { Capability } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { useAct } from '../ui/useAct';
import styles from './ConnectPage.module.css';
import { approveDocument, type OAuthRequest } from './queries';

/** What the rights let tools do. */
const rights: Partial<Record<Capability, string>> = {
  ANALYTICS_READ: 'Read reports',
  CUSTOMERS_READ: 'Read single users and their events',
  STUDIO_READ: 'Read flows, channels, experiments and members',
  FLOW_EDIT: 'Edit drafts of flows',
  VIEW_MANAGE: 'Write chart notes',
};

const isLoopback = (host: string) => /^(localhost|127\.[\d.]+|::1)$/.test(host);

type Props = { token: string; request: OAuthRequest; viewer: Viewer };

/** Names the program, where it is, what it would reach and do. */
export function Approve({ token, request, viewer }: Props) {
  const { client, host, scopes, declineUrl } = request;
  const places = viewer.workspaces.nodes;
  const [workspace, setWorkspace] = useState(places[0]?.workspace.id ?? '');
  const [app, setApp] = useState(''); // the only one; empty for all
  const [refused, setRefused] = useState<Capability[]>([]); // rights that are taken off
  const { act, busy, problem } = useAct();
  const access = places.find((place) => place.workspace.id === workspace);
  const given = scopes.filter((scope) => access && may(access, scope) && !refused.includes(scope));
  const approve = () =>
    act(async () => {
      const { data } = await send(approveDocument, { token, workspace, app: app || null, scopes: given });
      window.location.assign(data.approveOAuthRequest.url);
    });
  return (
    <section className={styles.card}>
      <Brand />
      <h1>Connect {client}?</h1>
      <p>
        <b>{client}</b> asks to act for <b>{viewer.email}</b>. The answer goes to{' '}
        {isLoopback(host) ? 'a program on this computer' : <b>{host}</b>}. Any program can take this name: continue only
        if you began this there.
      </p>
      {access ? (
        <>
          {places.length > 1 ? (
            <Select
              label="Workspace"
              allowDeselect={false}
              value={workspace}
              onChange={(id) => {
                if (!id) return;
                setWorkspace(id);
                setApp('');
              }}
              data={places.map(({ workspace: { id, name } }) => ({ value: id, label: name }))}
            />
          ) : null}
          {places.length === 1 ? (
            <dl className={styles.reach}>
              <dt>Workspace</dt>
              <dd>{access.workspace.name}</dd>
            </dl>
          ) : null}
          <Select
            label="Apps"
            description={app ? 'Live and test' : 'Live and test, later apps included'}
            allowDeselect={false}
            value={app}
            onChange={(id) => setApp(id ?? '')}
            data={[
              { value: '', label: 'All apps of the workspace' },
              ...access.workspace.apps.nodes.map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <fieldset className={styles.rights}>
            <legend>Rights</legend>
            {scopes.map((scope) => (
              <Checkbox
                key={scope}
                label={rights[scope] ?? scope}
                description={may(access, scope) ? undefined : 'Your role does not have it'}
                disabled={!may(access, scope)}
                checked={given.includes(scope)}
                onChange={({ currentTarget: { checked } }) =>
                  setRefused(checked ? refused.filter((other) => other !== scope) : [...refused, scope])
                }
              />
            ))}
          </fieldset>
          <p className={styles.note}>
            It can’t publish a flow or change what users get. Revoke it at any time under Settings, Keys.
          </p>
        </>
      ) : (
        <p role="alert">You are in no workspace that it could act in.</p>
      )}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.acts}>
        <Button variant="default" component="a" href={declineUrl}>
          Decline
        </Button>
        <Button disabled={given.length === 0} loading={busy !== ''} onClick={() => void approve()}>
          Allow
        </Button>
      </div>
    </section>
  );
}
