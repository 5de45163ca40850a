import { memo, useContext } from 'react';
import { differsAt, heldAt, isWhole, merged, pathAt } from '../breakpoints';
import { find, isObject, setIn } from '../document/canonical';
import type { Json, JsonObject, NodeId, Operation } from '../document/operation';
import { labelOf, wordsOf } from '../labels';
import { languageName, localesIn } from '../locales';
import type { Control } from '../properties';
import { defaultLocaleOf, readText, writeText } from '../text';
import { languageCalled } from '../translate/languages';
import { useEditing, useEditorValue } from '../useEditor';
import { ActionInput } from './actions/ActionInput';
import { PlayedBy } from './actions/PlayedBy';
import { WhenDone } from './actions/WhenDone';
import { OptionsLead } from './conditions/OptionsLead';
import { ChoiceInput } from './controls/ChoiceInput';
import { ColorInput } from './controls/ColorInput';
import { Field } from './controls/Field';
import { FontInput } from './controls/FontInput';
import { ListInput } from './controls/ListInput';
import { MediaInput } from './controls/MediaInput';
import { NumberInput } from './controls/NumberInput';
import { SizeInput } from './controls/SizeInput';
import { SpacingInput } from './controls/SpacingInput';
import { TargetInput } from './controls/TargetInput';
import { TextArea } from './controls/TextArea';
import { VariantInput } from './controls/VariantInput';
import styles from './Inspector.module.css';
import { IconInput } from './icons/IconInput';
import { OverrideContext } from './override';
import { TextValues } from './texts/TextValues';

type Props = {
  node: NodeId;
  object: JsonObject;
  path: readonly string[];
  control: Control;
  required: boolean;
  /** What holds where there is no value. */
  fallback?: string;
  /** The kind of the node, where its properties may differ by width. */
  kind?: string;
  /** Layers that are set with it; `object` has then what all of them have alike. */
  also?: readonly NodeId[];
  /** What of the value differs among them, as `differing` says it. */
  mixed?: string;
};

const noOthers: readonly NodeId[] = [];

/** What one step may have, of the operations that a batch may have. */
const mostAtOnce = 200;

const languages = { of: languageName, read: (typed: string) => languageCalled(typed, []) ?? typed };

/** The options of a wheel by their words. */
const optionsOf = ({ options }: JsonObject, locale: string) =>
  (Array.isArray(options) ? options.filter(isObject) : []).map(({ optionId, label }) => ({
    value: String(optionId),
    label: readText(label, locale, locale) || String(optionId),
  }));

const markOf = (isOfWidth: boolean, own: Json | undefined, widths: readonly number[]): string | undefined => {
  if (isOfWidth) return own === undefined ? undefined : 'Set for this width';
  return widths.length > 0 ? `Differs from ${widths.join(', ')} px on` : undefined;
};

/** One property of a node with the control that sets it. Most edits of a node change one property of many. */
export const PropertyField = memo(function PropertyField(props: Props) {
  const { node, object, path, control, required, fallback, kind = '', also = noOthers, mixed = '' } = props;
  const { editor, locale, breakpoint } = useEditing();
  const defaultLocale = useEditorValue(({ document }) => defaultLocaleOf(document.flow));
  const at = (breakpoint && pathAt(kind, path, breakpoint)) ?? path;
  const own = find(object, at);
  const isOfWidth = at !== path;
  const override = useContext(OverrideContext)(node, at);
  const value = isOfWidth ? merged(heldAt(object, kind, path, breakpoint), own, path) : own;
  const within = path.slice(0, -1);
  const inner = find(object, within);
  const around = isObject(inner) ? inner : {};
  const label = labelOf(path);
  const nodes = [node, ...also];
  const none = mixed ? 'Mixed' : 'Default';
  const run = (operations: readonly Operation[], gesture?: string) => {
    if (operations.length > mostAtOnce) editor.runAll('', operations);
    else if (operations.length > 0) editor.runStep({ name: '', operations }, gesture === undefined ? {} : { gesture });
  };
  const setAll = (path: readonly string[], value: Json) =>
    nodes.map((node): Operation => ({ op: 'set', node, path, value }));
  const unsetAll = (path: readonly string[]) =>
    nodes.flatMap((node): Operation[] =>
      find(editor.object(node) ?? {}, path) === undefined ? [] : [{ op: 'unset', node, path }],
    );
  const change = (to: Json | undefined, inside: readonly string[] = []) => {
    // A screen's distances of a width stand for all of those of narrower ones.
    if (inside.length > 0 && isOfWidth && own === undefined && isWhole(path) && to !== undefined)
      return run(setAll(at, setIn(isObject(value) ? value : {}, inside, to)));
    const whole = [...at, ...inside];
    if (to !== undefined) run(setAll(whole, to), `property ${nodes.join(' ')} ${whole.join('/')}`);
    else run(unsetAll(whole));
  };
  const setAround = (to: JsonObject | undefined) => run(to ? setAll(within, to) : unsetAll(within));
  const reset =
    (own !== undefined || mixed) && (isOfWidth || !required)
      ? () => (control.is === 'variant' ? setAround(undefined) : change(undefined))
      : undefined;
  const wide =
    /^(text|spacing|list|branching|action|whenDone|media)$/.test(control.is) ||
    (control.is === 'line' && control.multiline);
  return (
    <Field
      label={label}
      reset={reset}
      wide={wide || false}
      override={override}
      mark={markOf(isOfWidth, own, differsAt(object, kind, path))}
    >
      {(id) => {
        switch (control.is) {
          case 'text': {
            const text = readText(value, locale, defaultLocale);
            const put = (text: string) =>
              run(
                nodes.map((one) => writeText(one, path, text, locale, defaultLocale, editor.object(one) ?? object)),
                `text ${nodes.join(' ')} ${path.join('/')} ${locale}`,
              );
            const done = () => editor.endGesture();
            return (
              <>
                <TextArea
                  id={id}
                  value={text}
                  placeholder={mixed ? none : readText(value, defaultLocale, defaultLocale)}
                  change={put}
                  done={done}
                />
                {object.kind === 'text' && path.length === 1 && also.length === 0 && (
                  <TextValues
                    node={node}
                    text={text}
                    cursor={() => (document.getElementById(id) as HTMLTextAreaElement).selectionStart}
                    change={(text, typing) => {
                      put(text);
                      if (!typing) done();
                    }}
                    done={done}
                  />
                )}
              </>
            );
          }
          case 'line':
            if (path[0] === 'defaultLocale')
              return <ChoiceInput id={id} value={defaultLocale} options={localesIn(object)} required change={change} />;
            if (path[0] === 'defaultOptionId')
              return (
                <ChoiceInput
                  id={id}
                  value={typeof value === 'string' ? value : undefined}
                  options={optionsOf(object, defaultLocale)}
                  change={change}
                />
              );
            return (
              <TextArea
                id={id}
                value={typeof value === 'string' ? value : ''}
                placeholder={mixed ? none : fallback}
                single={!control.multiline}
                change={(text) => change(text === '' && !required ? undefined : text)}
                done={() => editor.endGesture()}
              />
            );
          case 'number':
            return (
              <NumberInput
                id={id}
                value={typeof value === 'number' ? value : undefined}
                fallback={mixed ? none : (fallback ?? (/^(opacity|backgroundOpacity)$/.test(path.at(-1)!) ? '1' : '–'))}
                min={control.min}
                max={control.max}
                step={control.step}
                change={change}
              />
            );
          case 'switch':
            return (
              <input
                id={id}
                type="checkbox"
                className={styles.switch}
                ref={(box) => {
                  if (box) box.indeterminate = mixed !== '';
                }}
                checked={value === undefined ? control.on === true : value === true}
                onChange={({ target }) => change(target.checked)}
              />
            );
          case 'choice':
            return (
              <ChoiceInput
                id={id}
                value={typeof value === 'string' ? value : undefined}
                options={control.values.map((value) => ({ value, label: wordsOf(value) }))}
                none={none}
                change={change}
              />
            );
          case 'icon':
            return (
              <IconInput
                id={id}
                label={label}
                value={typeof value === 'string' ? value : undefined}
                none={mixed ? none : undefined}
                change={change}
              />
            );
          case 'font':
            return (
              <FontInput id={id} value={typeof value === 'string' ? value : undefined} none={none} change={change} />
            );
          case 'color':
            return <ColorInput {...{ id, node, path, label, value, none, change }} gradients={control.gradients} />;
          case 'spacing':
            return <SpacingInput label={label} value={value} mixed={mixed} change={(side, to) => change(to, [side])} />;
          case 'size':
            return (
              <SizeInput
                id={id}
                label={label}
                value={value}
                words={control.words}
                max={control.max}
                none={none}
                change={change}
              />
            );
          case 'action':
            return <ActionInput id={id} node={node} value={value} />;
          case 'whenDone':
            return <WhenDone id={id} object={around} value={value} change={change} />;
          case 'trigger':
            return <PlayedBy id={id} node={node} background={path.length > 1} value={value} />;
          case 'media':
            return <MediaInput id={id} label={label} value={value} shows={around} change={change} />;
          case 'variant':
            return (
              <VariantInput
                id={id}
                value={around}
                by={control.by}
                members={control.members}
                required={required}
                none={none}
                change={(to) => setAround(to)}
              />
            );
          case 'list':
            return (
              <ListInput
                id={id}
                label={label}
                value={value}
                values={control.values}
                names={path[0] === 'locales' ? languages : undefined}
                required={required}
                change={change}
              />
            );
          case 'branching':
            return <OptionsLead id={node} object={object} />;
          case 'target':
            return (
              <TargetInput
                id={id}
                path={path}
                value={value}
                change={(to) => change(to ?? (required ? null : undefined))}
              />
            );
        }
      }}
    </Field>
  );
}, isSame);

/** Whether a property is drawn as before: its control shows nothing of the node but its value and those of widths. */
function isSame({ object: was, ...a }: Props, { object: now, ...b }: Props): boolean {
  const names = Object.keys(b) as (keyof typeof b)[];
  return (
    /^(number|switch|choice|color|icon|spacing|size)$/.test(b.control.is) &&
    names.every((name) => a[name] === b[name]) &&
    find(was, b.path) === find(now, b.path) &&
    Object.keys({ ...was, ...now }).every((name) => !name.endsWith('Breakpoints') || was[name] === now[name])
  );
}
