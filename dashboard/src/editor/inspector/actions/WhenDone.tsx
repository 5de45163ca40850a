import { isObject } from '../../document/canonical';
import type { Json, JsonObject } from '../../document/operation';
import { stepsIn } from '../../steps';
import { useEditing } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';
import styles from './Actions.module.css';

type Props = { id: string; object: JsonObject; value: Json | undefined; change: (value: JsonObject) => void };

/** What happens when a loader, an animation or a video is at its end. */
export function WhenDone({ id, object, value, change }: Props) {
  const { editor } = useEditing();
  const steps = stepsIn(editor.document.flow);
  const { mode, screenId } = isObject(value) ? value : {};
  const put = (to: string | undefined) => {
    if (to === 'screen') change({ mode: 'screen', screenId: steps[0]!.value });
    else if (to) change({ mode: to });
  };
  const repeats = object.kind !== 'loader' && object.loop !== false;
  return (
    <span className={styles.action}>
      <ChoiceInput
        id={id}
        value={typeof mode === 'string' ? mode : 'none'}
        options={[
          { value: 'none', label: 'do nothing' },
          { value: 'next', label: 'go on to what comes next' },
          { value: 'screen', label: 'go to' },
        ]}
        required
        change={put}
      />
      {mode === 'screen' && (
        <ChoiceInput
          label="Step to go to at the end"
          value={typeof screenId === 'string' ? screenId : undefined}
          options={steps}
          required
          change={(to) => to && change({ mode: 'screen', screenId: to })}
        />
      )}
      {repeats && mode !== undefined && mode !== 'none' && (
        <small>It repeats, so it never ends: turn “Loop” off.</small>
      )}
    </span>
  );
}
