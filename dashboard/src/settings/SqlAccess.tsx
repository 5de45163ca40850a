import { Button, Select } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { type FormEvent, useState } from 'react';
import type { AppAccess } from '../app/session/session';
import type { EnvironmentKind } from '../graphql/schema.gen';
import { send } from '../graphql/send';
import { Card } from '../ui/Card';
import { Confirm } from '../ui/Confirm';
import { CopyBlock } from '../ui/CopyBlock';
import { formatAgo } from '../ui/format';
import { Secret } from '../ui/Secret';
import { useAct } from '../ui/useAct';
import {
  createSqlRoleDocument,
  dropSqlRoleDocument,
  rotateSqlRoleDocument,
  type SqlRole,
  sqlChanged,
  sqlQuery,
} from './queries';
import styles from './SettingsPage.module.css';
import examples from './sql-examples.json';

/** Logins of the database that read what apps have stored, queries to begin with, and what can be read. */
export function SqlAccess({ app, access }: AppAccess) {
  const answer = useQuery(sqlQuery(access.workspace.id));
  return (
    <>
      <Card
        title="SQL access"
        answer={answer}
        part={({ workspace }) => workspace?.sqlRoles}
        path="workspace.sqlRoles"
        waiting={{ rows: 3 }}
      >
        {(roles) => (
          <>
            <p className={styles.note}>
              Read-only PostgreSQL logins for Grafana, Metabase, notebooks and psql: 4 connections, 30 seconds a query.{' '}
              <a href="/docs/sql" target="_blank" rel="noopener">
                A query for each metric
              </a>
            </p>
            <Logins roles={roles} app={app} access={access} />
          </>
        )}
      </Card>
      <Card
        title="Views"
        answer={answer}
        part={({ workspace }) => workspace?.sqlViews}
        path="workspace.sqlViews"
        waiting={{ rows: 10 }}
      >
        {(views) => (
          <>
            <div className={styles.views}>
              {views.map(({ name, columns }) => (
                <details key={name}>
                  <summary>
                    <code>{name}</code> <span>{columns.length} columns</span>
                  </summary>
                  <ul>
                    {columns.map((column) => (
                      <li key={column.name}>
                        <code>{column.name}</code> <span>{column.type}</span>
                      </li>
                    ))}
                  </ul>
                </details>
              ))}
            </div>
            <h3>Example queries</h3>
            {examples.map(({ name, sql }) => (
              <figure key={name} className={styles.example}>
                <figcaption>{name}</figcaption>
                <CopyBlock name={name} text={sql} />
              </figure>
            ))}
          </>
        )}
      </Card>
    </>
  );
}

function Logins({ roles, app, access }: AppAccess & { roles: SqlRole[] }) {
  const { run, act, busy, problem } = useAct();
  const [url, setUrl] = useState('');
  const [reach, setReach] = useState('LIVE');
  const reaches = [
    { value: 'LIVE', label: `${app.name}, live` },
    { value: 'TEST', label: `${app.name}, test` },
    { value: 'ALL', label: `All apps of ${access.workspace.name}` },
  ];
  /** Shows the address of a login that was made or changed. */
  const show = (change: () => Promise<{ url: string }>, name: string) =>
    run(async () => {
      setUrl('');
      setUrl((await change()).url);
      await sqlChanged();
    }, name);
  const create = (event: FormEvent) => {
    event.preventDefault();
    const of = reach === 'ALL' ? {} : { app: app.id, environment: reach as EnvironmentKind };
    const input = { workspace: access.workspace.id, app: null, environment: 'LIVE' as const, ...of };
    void show(async () => (await send(createSqlRoleDocument, input)).data.createSqlRole, 'create');
  };
  const rotate = (id: string) =>
    show(async () => (await send(rotateSqlRoleDocument, { id })).data.rotateSqlRole, `rotate ${id}`);
  const drop = (id: string) =>
    act(async () => {
      await send(dropSqlRoleDocument, { id });
      setUrl('');
      await sqlChanged();
    }, `drop ${id}`);
  const nameOf = (id: string) => access.workspace.apps.nodes.find((one) => one.id === id)?.name ?? 'Archived app';
  return (
    <>
      <ul className={styles.rows}>
        {roles.map(({ id, name, appId, environment, rotatedAt }) => (
          <li key={id}>
            <b>{appId ? `${nameOf(appId)}, ${environment?.toLowerCase()}` : 'All apps'}</b>
            <code>{name}</code>
            <span>{`password set ${formatAgo(rotatedAt)}`}</span>
            <Confirm
              meaning="The old password stops working and its sessions end. Change?"
              act={() => void rotate(id)}
              loading={busy === `rotate ${id}`}
            >
              Change password
            </Confirm>
            <Confirm
              meaning="Programs that use it are refused. Revoke?"
              act={() => void drop(id)}
              loading={busy === `drop ${id}`}
            >
              Revoke
            </Confirm>
          </li>
        ))}
        {roles.length === 0 && <li>No logins yet. Use one login per program.</li>}
      </ul>
      <form className={styles.invite} onSubmit={create}>
        <Select
          aria-label="Data that the login reads"
          allowDeselect={false}
          miw={260}
          value={reach}
          onChange={(value) => value && setReach(value)}
          data={reaches}
        />
        <Button type="submit" variant="default" loading={busy === 'create'}>
          Create login
        </Button>
      </form>
      <p className={styles.problem} role="alert">
        {problem}
      </p>
      {url && (
        <Secret name="Connection string" value={url} close={() => setUrl('')}>
          The password is part of it.
        </Secret>
      )}
    </>
  );
}
