import { SentenceEditor } from '../../../sentences/SentenceEditor';
import { bindingOf, isElse } from '../../document/commands/faces';
import { conditionOf, showWhen } from '../../document/commands/showWhen';
import type { JsonObject, NodeId } from '../../document/operation';
import { useEditing, useEditorValue } from '../../useEditor';
import styles from '../Inspector.module.css';
import { CaseCondition } from './CaseCondition';
import own from './Conditions.module.css';
import { LiveResult } from './LiveResult';
import { firstCondition, useSubjects, writeCondition } from './useCondition';

/** When a layer is shown: always, or when a condition holds. Nothing for layers that can't depend on one. */
export function ShowWhen({ id, name }: { id: NodeId; name: string }) {
  const { editor, say } = useEditing();
  const document = useEditorValue(({ document }) => document);
  const subjects = useSubjects(id);
  const shown = conditionOf(document, id);
  const binding = bindingOf(document, id);
  const first = firstCondition(subjects, document, id);
  const run = (to: JsonObject, typing = false) => {
    const expression = to.kind === 'empty' ? null : to;
    say(writeCondition(editor, id, to, typing, (gesture) => editor.run(showWhen, { node: id, expression, gesture })));
  };
  const branch = binding?.slot === 'cases' ? binding.item : undefined;
  const otherwise = isElse(document, id);
  if (!shown && !branch && !otherwise && showWhen.when(editor, { node: id, expression: first }) !== true) return null;
  return (
    <details open className={styles.section}>
      <summary>Visibility</summary>
      {branch ? (
        <>
          <p className={own.lead}>Shown when</p>
          <CaseCondition item={branch} subjects={subjects} label={`When ${name} is shown`} />
        </>
      ) : otherwise ? (
        <p className={own.lead}>Shown when none of the condition’s cases holds.</p>
      ) : shown ? (
        <>
          <p className={own.lead}>Shown when</p>
          <SentenceEditor
            label={`When ${name} is shown`}
            expression={shown.expression}
            subjects={subjects}
            change={run}
            done={() => editor.endGesture()}
          />
          <LiveResult expression={shown.expression} />
        </>
      ) : (
        <p className={own.always}>
          Always shown.
          <button type="button" className={own.add} onClick={() => run(first)}>
            Show when…
          </button>
        </p>
      )}
    </details>
  );
}
