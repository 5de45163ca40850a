import { branchNext, decisionAfter } from '../../document/commands/cases';
import { nodeOf } from '../../document/document';
import type { NodeId } from '../../document/operation';
import { useEditing, useEditorValue } from '../../useEditor';
import { Cases } from './Cases';
import styles from './Conditions.module.css';
import { firstCondition, useSubjects } from './useCondition';

/** What follows a screen when that depends on a condition; else the way to have it do so. */
export function NextStep({ id }: { id: NodeId }) {
  const { editor, canEdit, say } = useEditing();
  const document = useEditorValue(({ document }) => document);
  const subjects = useSubjects();
  const screen = nodeOf(document, id);
  if (!screen) return null;
  const decision = decisionAfter(document, screen);
  if (decision !== undefined) return <Cases id={decision} />;
  if (!canEdit) return null;
  const branch = () => say(editor.run(branchNext, { screen: id, expression: firstCondition(subjects, document, id) }));
  return (
    <button type="button" className={styles.add} onClick={branch}>
      Depends on a condition…
    </button>
  );
}
