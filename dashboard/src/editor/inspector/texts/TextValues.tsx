import { Remove } from '../../../sentences/ConditionTree';
import sentences from '../../../sentences/Sentences.module.css';
import { grouped, keyWords } from '../../../sentences/words';
import { Icon } from '../../../ui/Icon';
import type { NodeId } from '../../document/operation';
import { useSubjects } from '../conditions/useCondition';
import { spliced, type Template, templateFor, templatesIn } from './templates';

type Props = {
  node: NodeId;
  text: string;
  /** Where the cursor is in the text, which is where a value is put. */
  cursor: () => number;
  /** Is given the text as it is then; `typing` while more of the same is to come. */
  change: (text: string, typing: boolean) => void;
  done: () => void;
};

/** What a text shows of answers and of the app, as sentences: which value, and what else where there is none. */
export function TextValues({ node, text, cursor, change, done }: Props) {
  const subjects = useSubjects(node).flatMap(({ variable, name, group }) => {
    const key = String(variable.fieldKey);
    return /^[a-z][a-z0-9_]*$/.test(key) && variable.kind === 'field' ? { key, name, group } : [];
  });
  const [first] = subjects;
  const templates = templatesIn(text);
  if (!first && templates.length === 0) return null;
  const nameOf = (key: string) => {
    const bare = key.replace(/\.id$/, '');
    const name = subjects.find((one) => one.key === bare)?.name;
    if (name !== undefined) return bare === key ? name : `${name} (ID)`;
    return key.startsWith('custom.') ? `${keyWords(key.slice(7))} (from the app)` : `${keyWords(key)} (missing)`;
  };
  const put = (at: Template, key: string, fallback: string, typing = false) =>
    change(spliced(text, at, templateFor(key, fallback)), typing);
  return (
    <div className={sentences.sentence}>
      {templates.map((at) => {
        const { from, key, fallback } = at;
        const isListed = subjects.some((one) => one.key === key);
        const said = `${nameOf(key)}${fallback && `, else ${fallback}`}`;
        return (
          <fieldset key={from} className={sentences.clause} aria-label={said}>
            <select
              aria-label="Shows"
              className={sentences.what}
              value={key}
              onChange={({ target }) => put(at, target.value, fallback)}
            >
              {!isListed && <option value={key}>{nameOf(key)}</option>}
              {grouped(subjects).map(([group, members]) => (
                <optgroup key={group} label={group}>
                  {members.map(({ key, name }) => (
                    <option key={key} value={key}>
                      {name}
                    </option>
                  ))}
                </optgroup>
              ))}
            </select>
            <Remove said={said} remove={() => change(spliced(text, at, ''), false)} />
            <label className={sentences.compared}>
              else
              <input
                aria-label="Else"
                className={sentences.value}
                placeholder="Nothing"
                value={fallback}
                onChange={({ target }) => put(at, key, target.value, true)}
                onBlur={done}
              />
            </label>
          </fieldset>
        );
      })}
      {first && (
        <div className={sentences.adders}>
          <button
            type="button"
            title="Show an answer in the text"
            onClick={() => {
              const at = Math.min(cursor(), text.length);
              change(spliced(text, { from: at, to: at }, templateFor(first.key, '')), false);
            }}
          >
            <Icon name="plus" size={12} /> Answer
          </button>
        </div>
      )}
    </div>
  );
}
