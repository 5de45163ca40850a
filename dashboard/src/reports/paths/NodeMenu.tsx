import { Button, Menu, Modal, TextInput } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { type FormEvent, type ReactNode, useState } from 'react';
import { may } from '../../app/session/session';
import { withFilter, writeFilter } from '../../scope/filters';
import { createSegment } from '../../scope/segments';
import { useChange } from '../../scope/useChange';
import { useView } from '../../scope/useView';
import { Problem } from '../../ui/Problem';
import { useAct } from '../../ui/useAct';
import type { PathNode } from './layout';
import { filterOf, kindOf, nameOf } from './names';

const appRoute = getRouteApi('/apps/$app/$environment');

/** What can be done with a node. */
export function NodeMenu({ node, before, children }: { node: PathNode; before: boolean; children: ReactNode }) {
  const { access } = appRoute.useRouteContext();
  const { filters, setFilters } = useView();
  const change = useChange();
  const [saves, setSaves] = useState(false);
  const kind = kindOf(node);
  const filter = filterOf(node);
  const anchored = (direction?: 'before') => change({ kind, name: node.name ?? undefined, direction });
  return (
    <>
      <Menu position="bottom-start" width={260}>
        <Menu.Target>{children}</Menu.Target>
        <Menu.Dropdown>
          <Menu.Label>
            <bdi>{nameOf(node)}</bdi>
          </Menu.Label>
          {node.name && (
            <>
              <Menu.Item onClick={() => anchored()} disabled={node.step === 1 && !before}>
                Show paths from here
              </Menu.Item>
              <Menu.Item onClick={() => anchored('before')} disabled={node.step === 1 && before}>
                Show paths to here
              </Menu.Item>
            </>
          )}
          {filter && (
            <Menu.Item onClick={() => setFilters(withFilter(filters, filter))}>Filter sessions with this</Menu.Item>
          )}
          {filter && may(access, 'SEGMENT_MANAGE') && (
            <Menu.Item onClick={() => setSaves(true)}>Save its visitors as segment…</Menu.Item>
          )}
          {!node.name && <Menu.Item disabled>Group names to see them apart</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      {saves && <SaveSegment node={node} close={() => setSaves(false)} />}
    </>
  );
}

/** Keeps who has sessions with a node, under the filters in force, as a segment. */
function SaveSegment({ node, close }: { node: PathNode; close: () => void }) {
  const { place, search, filters } = useView();
  const [name, setName] = useState(`Visitors of ${nameOf(node)}`.slice(0, 100));
  const { act, busy, problem } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    const f = withFilter(filters, filterOf(node)!).map(writeFilter);
    if (await act(() => createSegment(place, { ...search, f }, name.trim()))) close();
  };
  return (
    <Modal opened onClose={close} title="Save as segment" closeButtonProps={{ 'aria-label': 'Close' }}>
      <form onSubmit={(event) => void submit(event)}>
        <TextInput
          label="Name"
          description="Users of the last 90 days with a session that shows it, under the filters in force"
          value={name}
          onChange={(event) => setName(event.target.value)}
          data-autofocus
        />
        <Problem text={problem} />
        <Button type="submit" mt="md" loading={busy !== ''} disabled={name.trim() === ''}>
          Save segment
        </Button>
      </form>
    </Modal>
  );
}
