import { Button, Menu } from '@mantine/core';
import { Icon } from '../../ui/Icon';
import { KindIcon } from '../KindIcon';
import styles from './Graph.module.css';

export type Added = 'screen' | 'decision' | 'surface';

/** A menu of the steps that can be added. */
export function AddStep({ add, hint }: { add: (kind: Added) => void; hint: string }) {
  return (
    <Menu>
      <Menu.Target>
        <Button variant="default" size="xs" leftSection={<Icon name="plus" size={14} />}>
          Add a step
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{hint}</Menu.Label>
        <Kinds add={add} />
      </Menu.Dropdown>
    </Menu>
  );
}

/** Asks what is to stand where a way was dropped on nothing, in pixels of the graph. */
export function DropMenu({
  at,
  add,
  leadToEnd,
  close,
}: {
  at: { x: number; y: number };
  add: (kind: Added) => void;
  leadToEnd: () => void;
  close: () => void;
}) {
  return (
    <Menu opened onClose={close} returnFocus position="bottom-start">
      <Menu.Target>
        <button type="button" className={styles.dropped} style={{ left: at.x, top: at.y }} aria-label="Lead to" />
      </Menu.Target>
      <Menu.Dropdown>
        <Kinds add={add} />
        <Menu.Item leftSection={<KindIcon kind="end" />} onClick={leadToEnd}>
          End of the flow
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}

function Kinds({ add }: { add: (kind: Added) => void }) {
  return (
    <>
      <Menu.Item leftSection={<KindIcon kind="screen" />} onClick={() => add('screen')}>
        New screen
      </Menu.Item>
      <Menu.Item leftSection={<KindIcon kind="decision" />} onClick={() => add('decision')}>
        New decision
      </Menu.Item>
      <Menu.Item leftSection={<KindIcon kind="surface" />} onClick={() => add('surface')}>
        New paywall
      </Menu.Item>
    </>
  );
}
