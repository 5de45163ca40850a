import { Menu } from '@mantine/core';
import { getRouteApi } from '@tanstack/react-router';
import { lazy, type ReactNode, Suspense, useState } from 'react';
import { may } from '../../app/session/session';
import type { PathsInput } from '../../graphql/schema.gen';
import { withFilter } from '../../scope/filters';
import { useChange } from '../../scope/useChange';
import { useView } from '../../scope/useView';
import { type Beginning, pathSegment } from '../../segments/journey';
import { SegmentOf } from '../../segments/SegmentOf';
import { formatExact } from '../../ui/format';
import type { PathNode, Paths } from './layout';
import { filterOf, kindOf, nameOf, pointOf } from './names';
import { linksTo, stepsTo } from './steps';

const appRoute = getRouteApi('/apps/$app/$environment');

const PathFunnel = lazy(async () => ({ default: (await import('./PathFunnel')).PathFunnel }));

type Props = { node: PathNode; paths: Paths; input: PathsInput; children: ReactNode };

/** What can be done with a node, and with the links that lead there. */
export function NodeMenu({ node, paths, input, children }: Props) {
  const { access } = appRoute.useRouteContext();
  const { place, search, filters, setFilters } = useView();
  const change = useChange();
  const [segment, setSegment] = useState<Beginning>();
  const [funnel, setFunnel] = useState(false);
  const before = input.direction === 'BEFORE';
  const kind = kindOf(node);
  const filter = filterOf(node);
  const manages = may(access, 'SEGMENT_MANAGE');
  const steps = stepsTo(paths, node, before);
  const anchored = (direction?: 'before') => change({ kind, name: node.name ?? undefined, direction });
  const save = (...nodes: PathNode[]) => setSegment(pathSegment(place, search, input, nodes.flatMap(pointOf)));
  return (
    <>
      <Menu position="bottom-start" width={280}>
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
          {manages && steps && <Menu.Item onClick={() => setFunnel(true)}>Create funnel of this path…</Menu.Item>}
          {manages && node.name !== null && (
            <>
              <Menu.Item onClick={() => save(node)}>Save visitors as segment…</Menu.Item>
              <Links node={node} paths={paths} before={before} save={(other) => save(other, node)} />
            </>
          )}
          {!node.name && <Menu.Item disabled>Group names to see them apart</Menu.Item>}
        </Menu.Dropdown>
      </Menu>
      <SegmentOf place={place} begin={segment} close={() => setSegment(undefined)} />
      <Suspense>
        {funnel && steps && <PathFunnel place={place} steps={steps} close={() => setFunnel(false)} />}
      </Suspense>
    </>
  );
}

/** The links between a node and those of the step before it, where there are several to choose from. */
function Links(props: { node: PathNode; paths: Paths; before: boolean; save: (other: PathNode) => void }) {
  const { node, paths, before, save } = props;
  const links = linksTo(paths, node);
  if (node.step <= 2 || links.length === 0) return null;
  return (
    <>
      <Menu.Label>{before ? 'Save visitors who went on to' : 'Save visitors who came from'}</Menu.Label>
      {links.slice(0, 5).map(({ from, sessions }) => (
        <Menu.Item key={from.node} onClick={() => save(from)} rightSection={formatExact(sessions, 'count')}>
          <bdi>{nameOf(from)}</bdi>
        </Menu.Item>
      ))}
    </>
  );
}
