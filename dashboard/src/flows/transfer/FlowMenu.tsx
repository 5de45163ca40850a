import { ActionIcon, Menu } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../../app/session/session';
import type { Place } from '../../scope/scope';
import { Icon } from '../../ui/Icon';
import { Problem } from '../../ui/Problem';
import { useAct } from '../../ui/useAct';
import { CopyFlow } from './CopyFlow';
import { downloadFlow } from './download';
import { nameQuery } from './queries';
import styles from './Transfer.module.css';

const appRoute = getRouteApi('/apps/$app/$environment');

/** What is done with a flow as a whole: it goes to another app, or into a file. */
export function FlowMenu({ place }: { place: Place & { flow: string } }) {
  const { access } = appRoute.useRouteContext();
  const flow = useQuery(nameQuery(place.flow)).data?.data.flow;
  const [copies, setCopies] = useState(false);
  const { act, busy, problem } = useAct();
  if (!flow) return null;
  return (
    <div className={styles.menu}>
      <Problem text={problem} />
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="subtle" color="gray" aria-label="More for this flow" loading={busy !== ''}>
            <Icon name="more" />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {may(access, 'FLOW_EDIT') && <Menu.Item onClick={() => setCopies(true)}>Copy to another app…</Menu.Item>}
          <Menu.Item onClick={() => void act(() => downloadFlow(place.flow, flow.name))}>
            Export with media and fonts
          </Menu.Item>
        </Menu.Dropdown>
      </Menu>
      {copies && (
        <CopyFlow place={place} name={flow.name} apps={access.workspace.apps.nodes} close={() => setCopies(false)} />
      )}
    </div>
  );
}
