import { Button, Drawer, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { may } from '../app/session/session';
import { explain } from '../graphql/problems';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { kindOf } from '../scope/scope';
import { Card } from '../ui/Card';
import { ChannelDetail } from './ChannelDetail';
import styles from './ChannelsPage.module.css';
import { type ChannelRow, channelsQuery, createDocument } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');
const channelsRoute = getRouteApi('/apps/$app/$environment/channels');

/** The channels that apps resolve: what each serves, and how to change it. */
export function ChannelsPage() {
  const { channel: open } = channelsRoute.useSearch();
  const place = channelsRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const navigate = channelsRoute.useNavigate();
  const answer = useQuery(channelsQuery(place));
  const app = answer.data?.data.app;
  const rows = app?.environment.channels?.nodes ?? [];
  const shown = rows.find(({ id }) => id === open);
  const show = (channel?: string) =>
    void navigate({ search: (before) => ({ ...before, channel }), resetScroll: false });
  const editable = may(access, 'CHANNEL_MANAGE');
  return (
    <>
      <h1 className={styles.title}>Channels</h1>
      <Card
        title="Channels"
        actions={editable && <NewChannel />}
        answer={answer}
        part={({ app }) => app?.environment.channels}
        path="app.environment.channels"
        waiting={{ rows: 5 }}
        empty={({ totalCount }) =>
          totalCount > 0
            ? undefined
            : {
                title: 'No channel yet',
                why: 'An app asks a channel for its flow, so that you can change the flow without an app release.',
                next: editable ? <NewChannel /> : <span>Ask an editor to create one.</span>,
              }
        }
      >
        {({ nodes }) => (
          <ul className={styles.channels}>
            {nodes.map((channel) => (
              <li key={channel.id}>
                <button type="button" onClick={() => show(channel.id)}>
                  <b>{channel.name}</b>
                  <span className={styles.state} data-state={stateOf(channel)}>
                    {servesWords(channel)}
                  </span>
                  <code>{channel.id}</code>
                </button>
              </li>
            ))}
          </ul>
        )}
      </Card>
      <Drawer
        opened={shown !== undefined}
        onClose={() => show()}
        title={shown?.name}
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && (
          <ChannelDetail
            key={shown.id}
            channel={shown}
            flows={app?.flows?.nodes ?? []}
            publishableKey={app?.environment.publishableKeys?.nodes[0]?.key}
            editable={editable}
          />
        )}
      </Drawer>
    </>
  );
}

const stateOf = ({ archivedAt, assignment }: ChannelRow) => (archivedAt ? 'archived' : assignment.toLowerCase());

/** What a channel serves, in words. */
export function servesWords({ archivedAt, version, experiment }: ChannelRow): string {
  if (archivedAt) return 'archived: apps get no flow';
  if (experiment) return `experiment ${experiment.name}`;
  if (version) return `${version.flow.name} v${version.number}`;
  return 'nothing published';
}

function NewChannel() {
  const place = channelsRoute.useParams();
  const [name, setName] = useState<string>();
  const [problem, setProblem] = useState('');
  if (name === undefined) {
    return <Button onClick={() => setName('')}>New channel</Button>;
  }
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    try {
      await send(createDocument, { app: place.app, environment: kindOf(place.environment), name });
      setName(undefined);
      await queryClient.invalidateQueries({ queryKey: ['Channels'] });
    } catch (error) {
      setProblem(explain(error).detail);
    }
  };
  return (
    <form className={styles.new} onSubmit={submit}>
      <TextInput
        size="xs"
        aria-label="Name of the channel"
        placeholder="Name, such as Onboarding"
        required
        maxLength={80}
        autoFocus
        value={name}
        error={problem}
        onChange={(event) => setName(event.target.value)}
      />
      <Button type="submit">Create</Button>
      <Button variant="subtle" onClick={() => setName(undefined)}>
        Cancel
      </Button>
    </form>
  );
}
