import { Button, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { graphql } from '../graphql/graphql';
import { explain } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { Brand } from './session/Brand';
import styles from './session/SignInPage.module.css';
import { may, sessionQuery } from './session/session';

const createApp = graphql<'CreateFirstApp'>(`
  mutation CreateFirstApp($workspace: ID!, $name: String!) { createApp(input: {workspaceId: $workspace, name: $name}) { id } }`);

/** The first step of a new workspace: an app. */
export function NoApp() {
  const viewer = useQuery(sessionQuery).data?.data.viewer;
  const access = viewer?.workspaces.nodes.find((access) => may(access, 'APP_MANAGE'));
  const navigate = useNavigate();
  const [name, setName] = useState('');
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    if (!access) return;
    setBusy(true);
    try {
      const { data } = await send(createApp, { workspace: access.workspace.id, name });
      await queryClient.invalidateQueries({ queryKey: sessionQuery.queryKey });
      await queryClient.fetchQuery(sessionQuery);
      await navigate({ to: '/apps/$app/$environment/start', params: { app: data.createApp.id, environment: 'test' } });
    } catch (error) {
      setProblem(explain(error).detail);
      setBusy(false);
    }
  };
  return (
    <main className={styles.page}>
      <form className={styles.form} onSubmit={submit}>
        <Brand />
        <h1>Name your first app</h1>
        {access ? (
          <>
            <p>An app has its own flows and analytics, and a test and a live environment with a key each.</p>
            <TextInput
              label="Name"
              required
              maxLength={80}
              value={name}
              onChange={(e) => setName(e.target.value)}
              error={problem}
            />
            <Button type="submit" size="md" loading={busy}>
              Create app
            </Button>
          </>
        ) : (
          <p>Your workspace has no app yet, and your role cannot create one. Ask an administrator.</p>
        )}
      </form>
    </main>
  );
}
