import { Button, Modal, TextInput } from '@mantine/core';
import { type FormEvent, useState } from 'react';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { useAct } from '../../ui/useAct';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { containersIn, layersInTree } from '../document/components/instances';
import { type Content, unmarked } from '../document/components/marks';
import { type Found, nodeOf, slotsOf } from '../document/document';
import type { JsonObject, NodeId } from '../document/operation';
import { KindIcon } from '../KindIcon';
import { labelOf } from '../labels';
import { nameOf } from '../names';
import { useEditing } from '../useEditor';
import { saveComponent } from './acts';
import styles from './Components.module.css';
import { type Component, updateComponent } from './queries';
import { useComponents } from './useComponents';

/** Makes a component of the selected layer, or changes what a component is called and what its instances may change. */
export function SettingsDialog({ app, component }: { app: string; component: Component | undefined }) {
  useReturnFocus();
  const { editor } = useEditing();
  const { ask } = useComponents();
  const { act, busy, problem } = useAct();
  const [node] = useState(() => editor.selection.nodes[0] ?? '');
  const [tree] = useState<JsonObject>(() =>
    component ? component.content.tree : unmarked(nodeOf(editor.document, node)?.object ?? {}),
  );
  const [layers] = useState(() => layersInTree(tree));
  const [name, setName] = useState(component?.name ?? nameOf(tree, layers[0]?.kind ?? ''));
  const [slots, setSlots] = useState<Content['slots']>(component?.content.slots ?? []);
  const [overridable, setOverridable] = useState<Content['overridable']>(component?.content.overridable ?? null);
  const containers = new Set(containersIn(tree).map(({ id }) => id));
  const close = () => ask(undefined);
  const save = async (event: FormEvent) => {
    event.preventDefault();
    const content = { slots, overridable };
    const done = await act(() =>
      component
        ? updateComponent(app, component.id, {
            name: name === component.name ? undefined : name,
            content: isSame(component.content, content) ? undefined : { ...component.content, ...content },
          })
        : saveComponent(editor, app, node, name.trim(), content),
    );
    if (done) close();
  };
  return (
    <Modal
      opened
      onClose={close}
      size="lg"
      title={component ? `Settings of ${component.name}` : 'Save as component'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      <form onSubmit={save}>
        <TextInput
          label="Name"
          data-autofocus
          required
          maxLength={100}
          value={name}
          onChange={({ target }) => setName(target.value)}
        />
        <p className={styles.hint}>
          Overrides
          <small>What an instance may have of its own. It stays when the component changes.</small>
        </p>
        <SegmentedControl
          size="xs"
          aria-label="Overrides"
          value={overridable ? 'some' : 'all'}
          onChange={(value) => setOverridable(value === 'all' ? null : textsOf(layers))}
          data={[
            { value: 'all', label: 'All properties' },
            { value: 'some', label: 'Chosen properties' },
          ]}
        />
        {(overridable || containers.size > 0) && (
          <>
            <p className={styles.hint}>
              {overridable ? 'Layers' : 'Slots'}
              <small>In a slot, each instance has layers of its own.</small>
            </p>
            <ul className={styles.layers} aria-label="Layers of the component">
              {layers
                .filter(({ id }) => overridable || containers.has(id))
                .map((layer) => (
                  <LayerRow
                    key={layer.id}
                    layer={layer}
                    slots={containers.has(layer.id) ? slots : undefined}
                    setSlots={setSlots}
                    overridable={overridable}
                    setOverridable={setOverridable}
                  />
                ))}
            </ul>
          </>
        )}
        <Problem text={problem} />
        <div className={form.acts} data-at="end">
          <Button variant="default" onClick={close}>
            Cancel
          </Button>
          <Button type="submit" loading={busy !== ''} disabled={name.trim() === ''}>
            {component ? 'Save' : 'Save as component'}
          </Button>
        </div>
      </form>
    </Modal>
  );
}

type RowProps = {
  layer: Found;
  /** Undefined for a layer that holds no others. */
  slots: Content['slots'] | undefined;
  setSlots: (slots: Content['slots']) => void;
  overridable: Content['overridable'];
  setOverridable: (overridable: Content['overridable']) => void;
};

function LayerRow({ layer, slots, setSlots, overridable, setOverridable }: RowProps) {
  const { id, kind, object } = layer;
  const name = nameOf(object, kind, layer.slot);
  const slot = slots?.find(({ layerId }) => layerId === id);
  const without = slots?.filter(({ layerId }) => layerId !== id) ?? [];
  let level = 0;
  for (let at = layer.parent; at; at = at.parent) level++;
  return (
    <li>
      <span style={{ paddingInlineStart: Math.min(level, 8) * 12 }}>
        <KindIcon kind={kind} />
        {name}
      </span>
      {slots && (
        <label>
          <input
            type="checkbox"
            aria-label={`${name} is a slot`}
            checked={slot !== undefined}
            onChange={({ target }) =>
              setSlots(target.checked ? [...without, { layerId: id, name: cut(name) }] : without)
            }
          />
          Slot
        </label>
      )}
      {slot && (
        <input
          className={styles.slot}
          aria-label={`Name of the slot ${name}`}
          required
          maxLength={80}
          value={slot.name}
          onChange={({ target }) => setSlots([...without, { layerId: id, name: target.value }])}
        />
      )}
      {overridable &&
        membersOf(layer).map((member) => {
          const isIt = (one: { layerId: NodeId; path: readonly string[] }) =>
            one.layerId === id && one.path[0] === member;
          const others = overridable.filter((one) => !isIt(one));
          return (
            <label key={member}>
              <input
                type="checkbox"
                checked={overridable.some(isIt)}
                onChange={({ target }) =>
                  setOverridable(target.checked ? [...others, { layerId: id, path: [member] }] : others)
                }
              />
              {labelOf([member])}
            </label>
          );
        })}
    </li>
  );
}

const cut = (name: string) => [...name].slice(0, 80).join('');

/** Lists what a layer has that an instance may have otherwise. */
function membersOf({ object, kind }: Found): string[] {
  const held = slotsOf(kind).map(([, { path }]) => path[0]);
  return [...new Set([...Object.keys(object), 'style'])].filter(
    (name) => !/^(id|kind|name|component|fieldKey)$/.test(name) && !held.includes(name),
  );
}

/** What instances most often have of their own: words and pictures. */
const textsOf = (layers: readonly Found[]) =>
  layers.flatMap((layer) =>
    membersOf(layer)
      .filter((member) => /^(text|media|placeholder|action)$/.test(member))
      .map((member) => ({ layerId: layer.id, path: [member] })),
  );

const isSame = ({ slots, overridable }: Content, other: Pick<Content, 'slots' | 'overridable'>) =>
  JSON.stringify([slots, overridable]) === JSON.stringify([other.slots, other.overridable]);
