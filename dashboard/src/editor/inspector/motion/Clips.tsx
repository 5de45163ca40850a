import { type CSSProperties, useState } from 'react';
import { Icon } from '../../../ui/Icon';
import { addClip, clipsOf, layersOn, removeItem, setClipTrigger } from '../../document/commands/motion';
import { type Found, nodeOf } from '../../document/document';
import type { JsonObject, NodeId } from '../../document/operation';
import { nameOf } from '../../names';
import { useEditing, useNode, usePlayhead } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';
import { Field } from '../controls/Field';
import { NumberInput } from '../controls/NumberInput';
import { RemoveButton } from '../Items';
import items from '../Items.module.css';
import styles from './Motion.module.css';
import { Tracks } from './Tracks';
import { endOf, startOf } from './timing';

type Props = {
  screen: NodeId;
  /** The layer whose animations are shown alone; undefined for all of the screen. */
  target?: NodeId;
};

/** The animations of a screen on its time line, and what the chosen one does. */
export function Clips({ screen: id, target }: Props) {
  const { editor, canEdit, say, playhead } = useEditing();
  useNode(id);
  const screen = nodeOf(editor.document, id);
  const { moment, lengthOf, reduced = false } = usePlayhead();
  const [chosen, choose] = useState<NodeId>();
  if (!screen) return null;
  const all = clipsOf(screen);
  const clips = all.filter(({ object }) => target === undefined || object.targetLayerId === target);
  const moves = lengthOf?.(screen.object) ?? 0;
  const length = Math.max(1, moves, ...all.map(({ object }) => endOf(object, screen.object)));
  const at = moment?.screen === id ? moment : undefined;
  const add = () => {
    say(editor.run(addClip, { screen: id, target }));
    choose(clipsOf(nodeOf(editor.document, id)!).at(-1)?.id);
  };
  const targetName = (clip: JsonObject) => {
    const layer = nodeOf(editor.document, String(clip.targetLayerId));
    return layer ? nameOf(layer.object, layer.kind, layer.slot) : 'Missing layer';
  };
  return (
    <div className={styles.clips} style={{ '--at': at && at.ms / length } as CSSProperties}>
      {moves > 0 && (
        <p className={styles.play}>
          <button
            type="button"
            aria-label={at?.plays ? 'Stop the animations' : 'Play the animations'}
            title={at?.plays ? 'Stop (M)' : 'Play (M)'}
            onClick={() => say(playhead.toggle(screen.object))}
          >
            <Icon name={at?.plays ? 'pause' : 'play'} size={14} />
            {at ? `${at.ms} ms` : 'At rest'}
          </button>
          <input
            type="range"
            aria-label="Moment that the canvas shows"
            aria-valuetext={at ? `${at.ms} ms` : 'At rest'}
            max={length}
            step={10}
            value={at?.ms ?? length}
            data-rests={!at || undefined}
            onChange={({ target }) => playhead.set({ moment: { screen: id, ms: target.valueAsNumber } })}
            onKeyDown={({ key }) => key === 'Escape' && playhead.set({ moment: undefined })}
          />
        </p>
      )}
      {moves > 0 && (
        <label className={styles.less} title="The canvas shows it as to a user who asks for less motion">
          <input
            type="checkbox"
            checked={reduced}
            onChange={({ target }) => playhead.set({ reduced: target.checked })}
          />
          Show with reduced motion
        </label>
      )}
      {(clips.length > 0 || moves > 0) && (
        <p className={styles.axis} aria-hidden="true">
          <span>0</span>
          <span>{length} ms</span>
        </p>
      )}
      <ul aria-label="Animations" data-at={at ? true : undefined}>
        {clips.map((clip, at) => {
          const name = `Animation ${at + 1}: ${targetName(clip.object)}`;
          const [from, to] = [startOf(clip.object, screen.object), endOf(clip.object, screen.object)];
          const open = clip.id === chosen;
          return (
            <li key={clip.id}>
              <button
                type="button"
                className={styles.clip}
                aria-expanded={open}
                aria-label={`${name}, from ${from} to ${to} ms`}
                onClick={() => choose(open ? undefined : clip.id)}
              >
                <span className={styles.name}>{targetName(clip.object)}</span>
                <span className={styles.lane} aria-hidden="true">
                  <i
                    data-trigger={String(clip.object.trigger)}
                    style={{ insetInlineStart: `${(from / length) * 100}%`, width: `${((to - from) / length) * 100}%` }}
                  />
                </span>
              </button>
              {open && <ClipFields clip={clip} name={`animation ${at + 1}`} />}
            </li>
          );
        })}
      </ul>
      {canEdit && (
        <button type="button" className={items.add} onClick={add}>
          <Icon name="plus" size={12} /> Animation
        </button>
      )}
    </div>
  );
}

const triggers = [
  { value: 'mount', label: 'On opening' },
  { value: 'stagger', label: 'In turn' },
  { value: 'unmount', label: 'On leaving' },
];

/** What one animation moves, when, and how. */
function ClipFields({ clip, name }: { clip: Found; name: string }) {
  const { editor, canEdit, say } = useEditing();
  const { object, id } = clip;
  const layers = layersOn(editor.document, clip.parent!.id).map(({ id, object, kind, slot }) => {
    return { value: id, label: nameOf(object, kind, slot) };
  });
  const set = (member: string, value: string | number | undefined) =>
    editor.runStep(
      {
        name: '',
        operations: [
          value === undefined
            ? { op: 'unset', node: id, path: [member] }
            : { op: 'set', node: id, path: [member], value },
        ],
      },
      { gesture: `property ${id} ${member}` },
    );
  const number = (member: string) => (typeof object[member] === 'number' ? object[member] : undefined);
  return (
    <fieldset className={styles.fields} aria-label={name}>
      <Field label="Layer" reset={undefined}>
        {(field) => (
          <ChoiceInput
            id={field}
            value={String(object.targetLayerId)}
            options={layers}
            required
            change={(to) => to && set('targetLayerId', to)}
          />
        )}
      </Field>
      <Field label="Plays" reset={undefined}>
        {(field) => (
          <ChoiceInput
            id={field}
            value={String(object.trigger)}
            options={triggers}
            required
            change={(to) => to && say(editor.run(setClipTrigger, { clip: id, trigger: to }))}
          />
        )}
      </Field>
      {object.trigger === 'stagger' && (
        <Field label="Turn" reset={undefined}>
          {(field) => (
            <NumberInput
              id={field}
              value={number('staggerIndex')}
              min={0}
              max={64}
              change={(to) => to !== undefined && set('staggerIndex', to)}
            />
          )}
        </Field>
      )}
      <Field label="Delay, ms" reset={undefined}>
        {(field) => (
          <NumberInput
            id={field}
            value={number('delayMs')}
            fallback="0"
            min={0}
            max={3_600_000}
            step={10}
            change={(to) => set('delayMs', to)}
          />
        )}
      </Field>
      <Field label="Duration, ms" reset={undefined}>
        {(field) => (
          <NumberInput
            id={field}
            value={number('durationMs')}
            min={0}
            max={3_600_000}
            step={10}
            change={(to) => to !== undefined && set('durationMs', to)}
          />
        )}
      </Field>
      <Tracks clip={clip} name={name} />
      {canEdit && (
        <span className={styles.removal}>
          Remove this animation
          <RemoveButton name={name} remove={() => say(editor.run(removeItem, { item: id, name: `Remove ${name}` }))} />
        </span>
      )}
    </fieldset>
  );
}
