import { Icon } from '../../../ui/Icon';
import { isObject } from '../../document/canonical';
import { trackOf, trackProperties, withKeyframe } from '../../document/commands/motion';
import type { Found } from '../../document/document';
import type { Json, JsonObject } from '../../document/operation';
import { useEditing } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';
import { NumberInput } from '../controls/NumberInput';
import { RemoveButton } from '../Items';
import items from '../Items.module.css';
import { EasingInput } from './EasingInput';
import styles from './Motion.module.css';

const words: Record<string, string> = {
  opacity: 'Opacity',
  translateX: 'Sideways, px',
  translateY: 'Up and down, px',
  scale: 'Size',
};

/** What an animation changes of its layer, each with its values over time. */
export function Tracks({ clip: { id, object }, name }: { clip: Found; name: string }) {
  const { editor, canEdit } = useEditing();
  const tracks = (Array.isArray(object.tracks) ? object.tracks : []).filter(isObject);
  const put = (value: readonly Json[]) =>
    editor.runStep(
      { name: `Change what ${name} does`, operations: [{ op: 'set', node: id, path: ['tracks'], value }] },
      { gesture: `property ${id} tracks` },
    );
  const free = trackProperties.filter((one) => tracks.every(({ property }) => property !== one));
  return (
    <>
      {tracks.map((track, at) => {
        const replace = (to: JsonObject) => put(tracks.map((one, i) => (i === at ? to : one)));
        const property = String(track.property);
        const choices = trackProperties.filter((one) => one === property || free.includes(one));
        return (
          <fieldset key={property} className={styles.track} aria-label={`${words[property] ?? property} of ${name}`}>
            <span className={styles.changes}>
              <ChoiceInput
                label="Changes"
                value={property}
                options={choices.map((value) => ({ value, label: words[value]! }))}
                required
                change={(to) => to && replace(trackOf(to))}
              />
              {canEdit && tracks.length > 1 && (
                <RemoveButton
                  name={`${(words[property] ?? property).toLowerCase()} of ${name}`}
                  remove={() => put(tracks.filter((_, i) => i !== at))}
                />
              )}
            </span>
            <Keyframes
              keyframes={Array.isArray(track.keyframes) ? track.keyframes.filter(isObject) : []}
              step={property.startsWith('translate') ? 1 : 0.05}
              change={(keyframes) => replace({ ...track, keyframes })}
            />
          </fieldset>
        );
      })}
      {canEdit && free.length > 0 && (
        <button type="button" className={items.add} onClick={() => put([...tracks, trackOf(free[0]!)])}>
          <Icon name="plus" size={12} /> Change
        </button>
      )}
    </>
  );
}

type KeyframesProps = { keyframes: readonly JsonObject[]; step: number; change: (to: readonly Json[]) => void };

/** The values of a track: at what part of its time, and how it goes from there to the next. */
function Keyframes({ keyframes, step, change }: KeyframesProps) {
  const { canEdit } = useEditing();
  const last = keyframes.length - 1;
  const set = (at: number, to: JsonObject) => change(keyframes.map((one, i) => (i === at ? to : one)));
  const number = (value: Json | undefined) => (typeof value === 'number' ? value : undefined);
  return (
    <>
      {keyframes.map((frame, at) => {
        const isEnd = at === 0 || at === last;
        const percent = Math.round((number(frame.t) ?? 0) * 1000) / 10;
        const between = [keyframes[at - 1], keyframes[at + 1]].map((one) => (number(one?.t) ?? 0) * 100);
        return (
          // biome-ignore lint/suspicious/noArrayIndexKey: keyframes have no id
          <span key={at} className={styles.frame}>
            {isEnd ? (
              <span className={styles.end}>{at === 0 ? 'from' : 'to'}</span>
            ) : (
              <NumberInput
                label={`At, % of the time of value ${at + 1}`}
                mark="%"
                value={percent}
                min={between[0]}
                max={between[1]}
                step={0.5}
                change={(to) => to !== undefined && set(at, { ...frame, t: Math.round(to * 10) / 1000 })}
              />
            )}
            <NumberInput
              label={`Value ${at + 1}`}
              value={number(frame.value)}
              step={step}
              change={(to) => to !== undefined && set(at, { ...frame, value: to })}
            />
            {at < last ? (
              <EasingInput
                label={`Easing after value ${at + 1}`}
                value={typeof frame.easing === 'string' ? frame.easing : undefined}
                change={(to) => {
                  const { easing: _, ...rest } = frame;
                  set(at, to === undefined ? rest : { ...rest, easing: to });
                }}
              />
            ) : (
              <span />
            )}
            {canEdit && !isEnd && (
              <RemoveButton name={`value ${at + 1}`} remove={() => change(keyframes.filter((_, i) => i !== at))} />
            )}
          </span>
        );
      })}
      {canEdit && (
        <button type="button" className={items.add} onClick={() => change(withKeyframe(keyframes))}>
          <Icon name="plus" size={12} /> Value between
        </button>
      )}
    </>
  );
}
