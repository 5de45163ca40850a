import { ActionIcon, Button, Popover } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { type DataOf, graphql } from '../../graphql/graphql';
import { query, queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Failure } from '../../ui/Failure';
import { formatAgo } from '../../ui/format';
import { Icon } from '../../ui/Icon';
import { Waiting } from '../../ui/Waiting';
import styles from './Bell.module.css';

const countDocument = graphql<'Unread'>(`
  query Unread($workspace: ID!) { workspace(id: $workspace) { unreadNotifications } }`);

const listDocument = graphql<'Notifications'>(`
  query Notifications($workspace: ID!) {
    workspace(id: $workspace) { notifications(first: 20) { totalCount nodes {
      id severity title text createdAt unread about { appId environment channelId experimentId alertId flowId }
    } } }
  }`);

const readDocument = graphql<'ReadNotifications'>(`
  mutation ReadNotifications($workspace: ID!, $until: Time) {
    markAllNotificationsRead(input: {workspaceId: $workspace, until: $until}) { marked }
  }`);

/** What the members of the workspace should know, with how much of it is unread. */
export function Bell({ workspace }: { workspace: string }) {
  const [open, setOpen] = useState(false);
  const unread = useQuery({ ...query(countDocument, workspace, () => ({ workspace })), refetchInterval: 60_000 });
  const count = unread.data?.data.workspace?.unreadNotifications ?? 0;
  return (
    <Popover opened={open} onChange={setOpen} position="bottom-end" width={380} trapFocus returnFocus>
      <Popover.Target>
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label={count > 0 ? `${count} unread notifications` : 'Notifications'}
          onClick={() => setOpen(!open)}
        >
          <Icon name="bell" />
          {count > 0 && <i className={styles.dot} />}
        </ActionIcon>
      </Popover.Target>
      <Popover.Dropdown>{open && <List workspace={workspace} close={() => setOpen(false)} />}</Popover.Dropdown>
    </Popover>
  );
}

function List({ workspace, close }: { workspace: string; close: () => void }) {
  const answer = useQuery(query(listDocument, workspace, () => ({ workspace })));
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  const rows = answer.data?.data.workspace?.notifications?.nodes;
  if (!rows) return <Waiting rows={4} />;
  // What comes while the list is open has not been read.
  const read = async () => {
    await send(readDocument, { workspace, until: rows[0]?.createdAt ?? null });
    await queryClient.invalidateQueries({ queryKey: ['Unread'] });
    await queryClient.invalidateQueries({ queryKey: ['Notifications'] });
  };
  return (
    <>
      <ul className={styles.list}>
        {rows.map(({ id, severity, title, text, createdAt, unread, about }) => (
          <li key={id} data-severity={severity} data-unread={unread || undefined}>
            <b>{title}</b>
            <time dateTime={createdAt}>{formatAgo(createdAt)}</time>
            <p>
              {text} <Subject about={about} close={close} />
            </p>
          </li>
        ))}
        {rows.length === 0 && <li>No notifications yet.</li>}
      </ul>
      {rows.some(({ unread }) => unread) && (
        <Button variant="default" fullWidth onClick={() => void read()}>
          Mark all as read
        </Button>
      )}
    </>
  );
}

type About = NonNullable<NonNullable<DataOf<'Notifications'>['workspace']>['notifications']>['nodes'][number]['about'];

/** Leads to what a notification is about. */
function Subject({ about, close }: { about: About; close: () => void }) {
  const { appId, environment, channelId, experimentId, alertId, flowId } = about;
  if (!appId) return null;
  const place = { app: appId, environment: (environment ?? 'LIVE').toLowerCase() };
  if (flowId)
    return (
      <Link to="/apps/$app/$environment/flows/$flow/edit" params={{ ...place, flow: flowId }} onClick={close}>
        Open flow
      </Link>
    );
  if (alertId)
    return (
      <Link to="/apps/$app/$environment/alerts" params={place} search={{ alert: alertId }} onClick={close}>
        Open alert
      </Link>
    );
  if (channelId)
    return (
      <Link to="/apps/$app/$environment/channels" params={place} search={{ channel: channelId }} onClick={close}>
        Open channel
      </Link>
    );
  if (!experimentId) return null;
  return (
    <Link
      to="/apps/$app/$environment/experiments/$experiment"
      params={{ ...place, experiment: experimentId }}
      onClick={close}
    >
      Open experiment
    </Link>
  );
}
