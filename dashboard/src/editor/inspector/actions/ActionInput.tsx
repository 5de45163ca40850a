import type { ReactNode } from 'react';
import { types } from '../../../../../manifest/shape/shape.json';
import { keyWords } from '../../../sentences/words';
import { type Around, actionKinds, actionOf, aroundOf } from '../../actionKinds';
import { find, isObject } from '../../document/canonical';
import { setAction } from '../../document/commands/actions';
import type { Json, JsonObject, NodeId } from '../../document/operation';
import { useEditing, useEditorValue } from '../../useEditor';
import { ChoiceInput } from '../controls/ChoiceInput';
import styles from './Actions.module.css';

type Props = { id: string; node: NodeId; value: Json | undefined };

/** What a button does when it is tapped, as a sentence: "go to Paywall". */
export function ActionInput({ id, node, value }: Props) {
  const { editor, say } = useEditing();
  const document = useEditorValue(({ document }) => document);
  const around = aroundOf(document, node);
  const action = isObject(value) ? value : {};
  const kind = String(action.kind ?? '');
  const put = (to: JsonObject | undefined) => to && say(editor.run(setAction, { node, action: to }));
  return (
    <span className={styles.action}>
      <select
        id={id}
        className={styles.kind}
        value={actionKinds[kind] ? kind : ''}
        onChange={({ target }) => put(actionOf(target.value, around, value))}
      >
        {!actionKinds[kind] && <option value="">something that is not known here</option>}
        {Object.entries(actionKinds).map(([name, { words, make, lacks }]) => {
          const missing = name !== kind && make(around) === undefined;
          return (
            <option key={name} value={name} disabled={missing}>
              {missing ? `${words} (${lacks})` : words}
            </option>
          );
        })}
      </select>
      <Details action={action} around={around} put={put} />
    </span>
  );
}

type DetailsProps = { action: JsonObject; around: Around; put: (action: JsonObject) => void };

/** What belongs to an action of a kind: where it leads, what it asks for, what it plays. */
function Details({ action, around, put }: DetailsProps) {
  switch (action.kind) {
    case 'go_to_step':
      return (
        <ChoiceInput
          label="Step to go to"
          value={text(action.screenId)}
          options={around.steps}
          required
          change={(to) => to && put({ ...action, screenId: to })}
        />
      );
    case 'go_back_one_screen':
      return (
        <Line words="or, when it is the first, to">
          <ChoiceInput
            label="Screen to go to where there is none before"
            value={text(action.fallbackScreenId)}
            options={around.screens}
            none="no screen"
            change={(to) => {
              const { fallbackScreenId: _, ...rest } = action;
              put(to === undefined ? rest : { ...rest, fallbackScreenId: to });
            }}
          />
        </Line>
      );
    case 'request_os_permission':
      return <Permission action={action} around={around} put={put} />;
    case 'play_media':
      return <Players action={action} around={around} put={put} />;
    case 'advance_carousel':
      return (
        <>
          <ChoiceInput
            label="Carousel"
            value={text(action.targetLayerId)}
            options={around.carousels.map(({ id, name }) => ({ value: id, label: name }))}
            required
            change={(to) => to && put({ ...action, targetLayerId: to })}
          />
          <Line words="on the last page">
            <ChoiceInput
              label="On the last page"
              value={text(action.onLast) ?? 'noop'}
              options={[
                { value: 'noop', label: 'stay' },
                { value: 'complete', label: 'go on' },
              ]}
              required
              change={(to) => to && put({ ...action, onLast: to })}
            />
          </Line>
        </>
      );
    default:
      return null;
  }
}

const permissions = types.PermissionKey.enum.map((value) => ({ value, label: keyWords(value) }));
const outcomes = { granted: 'If granted', denied: 'If denied', blocked: 'If blocked' };

function Permission({ action, around, put }: DetailsProps) {
  const ways = [{ value: 'continue', label: 'go on' }, { value: 'end', label: 'end the flow' }, ...around.steps];
  return (
    <>
      <ChoiceInput
        label="Permission"
        value={text(action.permissionKey)}
        options={permissions}
        required
        change={(to) => to && put({ ...action, permissionKey: to })}
      />
      {Object.entries(outcomes).map(([outcome, words]) => (
        <Line key={outcome} words={words}>
          <ChoiceInput
            label={words}
            value={text(find(action.outcomes, [outcome]))}
            options={ways}
            required
            change={(to) =>
              to && put({ ...action, outcomes: { ...(isObject(action.outcomes) && action.outcomes), [outcome]: to } })
            }
          />
        </Line>
      ))}
    </>
  );
}

function Players({ action, around, put }: DetailsProps) {
  const chosen = Array.isArray(action.targetLayerIds) ? action.targetLayerIds.map(String) : [];
  const gone = chosen.filter((id) => !around.players.some((player) => player.id === id));
  const toggle = (id: string) => {
    const to = chosen.includes(id) ? chosen.filter((one) => one !== id) : [...chosen, id];
    if (to.length > 0) put({ ...action, targetLayerIds: to });
  };
  return (
    <fieldset className={styles.players} aria-label="What is played">
      {[...around.players, ...gone.map((id) => ({ id, name: 'Missing' }))].map(({ id, name }) => (
        <label key={id}>
          <input
            type="checkbox"
            checked={chosen.includes(id)}
            disabled={chosen.length === 1 && chosen[0] === id}
            onChange={() => toggle(id)}
          />
          {name}
        </label>
      ))}
    </fieldset>
  );
}

function Line({ words, children }: { words: string; children: ReactNode }) {
  return (
    <span className={styles.line}>
      <span>{words}</span>
      {children}
    </span>
  );
}

const text = (value: Json | undefined) => (typeof value === 'string' ? value : undefined);
