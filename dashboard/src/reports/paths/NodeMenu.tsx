import { Menu } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { may } from '../../app/session/session';
import { withFilter, writeFilter } from '../../scope/filters';
import { rulesOf } from '../../scope/segments';
import { useChange } from '../../scope/useChange';
import { useView } from '../../scope/useView';
import type { PathNode } from './layout';
import { filterOf, kindOf, nameOf } from './names';

const appRoute = getRouteApi('/apps/$app/$environment');

const SegmentDialog = lazy(async () => ({ default: (await import('../../segments/SegmentDialog')).SegmentDialog }));

/** What can be done with a node. */
export function NodeMenu({ node, before, children }: { node: PathNode; before: boolean; children: ReactNode }) {
  const { access } = appRoute.useRouteContext();
  const { place, search, filters, setFilters } = useView();
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
          {filter && <Menu.Item onClick={() => setFilters(withFilter(filters, filter))}>Filter by this</Menu.Item>}
          {filter && may(access, 'SEGMENT_MANAGE') && (
            <Menu.Item onClick={() => setSaves(true)}>Save visitors as segment…</Menu.Item>
          )}
          {!node.name && <Menu.Item disabled>Group names to see them apart</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <Suspense>
        {saves && filter && (
          <SegmentDialog
            place={place}
            begin={{
              name: `Visitors of ${nameOf(node)}`.slice(0, 100),
              rules: rulesOf(place, { ...search, f: withFilter(filters, filter).map(writeFilter) }),
            }}
            close={() => setSaves(false)}
            saved={() => setSaves(false)}
          />
        )}
      </Suspense>
    </>
  );
}
