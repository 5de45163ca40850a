import { ActionIcon, Button, Menu } from '@mantine/core';
import { type ReactNode, useCallback, useMemo } from 'react';
import { Icon } from '../../ui/Icon';
import { find } from '../document/canonical';
import { detach } from '../document/components/detach';
import { mayOverride, overridesOf, resetAll, valueIn } from '../document/components/instances';
import { type Instance, markOf } from '../document/components/marks';
import { isLayer, nodeOf } from '../document/document';
import type { NodeId, Operation } from '../document/operation';
import { type Override, OverrideContext } from '../inspector/override';
import { KindIcon } from '../KindIcon';
import { nameOf } from '../names';
import { useEditing, useNode } from '../useEditor';
import styles from './Components.module.css';
import { useComponents } from './useComponents';

type Props = { id: NodeId; instance: Instance; children: ReactNode };

/** Above the properties of a layer of an instance: the component, and what the instance has of its own. */
export function InstancePanel({ id, instance, children }: Props) {
  const { editor, canEdit, say } = useEditing();
  const { list, find: findComponent, ask, follow, update } = useComponents();
  const { root } = instance;
  const object = useNode(root.id);
  const component = findComponent(instance.id);
  const outdated = component !== undefined && instance.revision < component.content.revision;
  const content = outdated ? undefined : component?.content;
  // biome-ignore lint/correctness/useExhaustiveDependencies: the document changes with the instance's object
  const overrides = useMemo(
    () => content && overridesOf(editor.document, instance, content),
    [editor, object, content, instance.id, instance.revision],
  );
  const overrideOf = useCallback(
    (node: NodeId, path: readonly string[]): Override | undefined => {
      if (!overrides || !content) return undefined;
      const layer = nodeOf(editor.document, node);
      const mark = layer && isLayer(layer.kind) ? markOf(layer.object) : undefined;
      if (!mark || !overrides.plain.has(node)) return undefined;
      const touches = (other: readonly string[]) =>
        other.every((name, i) => i >= path.length || path[i] === name) && other.length > 0;
      const isOwn = overrides.paths.get(node)?.some(touches);
      const value = valueIn(overrides, node, path);
      const operation: Operation = value === undefined ? { op: 'unset', node, path } : { op: 'set', node, path, value };
      const same = value === undefined && find(layer!.object, path) === undefined;
      return {
        locked: !mayOverride(content, mark.layer, path),
        ...(isOwn && !same && { reset: () => say(editor.runStep({ name: '', operations: [operation] })) }),
      };
    },
    [editor, overrides, content, say],
  );
  const count = [...(overrides?.paths.values() ?? [])].reduce((sum, paths) => sum + paths.length, 0);
  const reset = () => {
    const name = `Reset ${nameOf(root.object, root.kind, root.slot)} to the component`;
    if (overrides && content) say(editor.runAll(name, resetAll(editor.document, instance, overrides, content)));
  };
  const name = component?.name ?? (list ? 'Deleted component' : 'Component');
  const cut = () => say(editor.run(detach, { root: root.id }));
  return (
    <>
      <section className={styles.instance} aria-label="Instance">
        <header>
          <KindIcon kind="component" />
          <strong title={name}>{name}</strong>
          {component && (
            <Menu position="bottom-end" width={240} withinPortal={false}>
              <Menu.Target>
                <ActionIcon variant="subtle" color="gray" size="sm" aria-label="More for the component" title="More">
                  <Icon name="more" size={14} />
                </ActionIcon>
              </Menu.Target>
              <Menu.Dropdown>
                {canEdit && (
                  <>
                    <Menu.Item disabled={outdated} onClick={() => update(instance)}>
                      Update component from this
                    </Menu.Item>
                    <Menu.Item disabled={!overrides} onClick={reset}>
                      Reset all overrides
                    </Menu.Item>
                    <Menu.Item onClick={() => ask({ is: 'settings', component })}>Settings of the component…</Menu.Item>
                  </>
                )}
                <Menu.Item onClick={() => ask({ is: 'all', component: component.id })}>Where used</Menu.Item>
                {canEdit && (
                  <>
                    <Menu.Divider />
                    <Menu.Item onClick={cut}>Detach</Menu.Item>
                  </>
                )}
              </Menu.Dropdown>
            </Menu>
          )}
        </header>
        <p>
          {list && !component
            ? 'The layers of this instance stay as they are.'
            : outdated
              ? 'The component has changed since.'
              : count === 0
                ? 'Follows its component.'
                : `${count} ${count === 1 ? 'property differs' : 'properties differ'} from the component.`}
        </p>
        {id !== root.id && (
          <Button size="compact-xs" variant="default" onClick={() => editor.select({ nodes: [root.id] })}>
            Select instance
          </Button>
        )}
        {canEdit && outdated && (
          <Button size="compact-xs" onClick={follow}>
            Update instances
          </Button>
        )}
        {canEdit && list && !component && (
          <Button size="compact-xs" variant="default" onClick={cut}>
            Detach
          </Button>
        )}
      </section>
      <OverrideContext value={overrideOf}>{children}</OverrideContext>
    </>
  );
}
