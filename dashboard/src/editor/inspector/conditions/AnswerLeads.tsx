import { questionAround } from '../../document/commands/faces';
import type { NodeId } from '../../document/operation';
import { useEditorValue, useNode } from '../../useEditor';
import styles from '../Inspector.module.css';
import { OptionsLead } from './OptionsLead';

/** Where the options of a question lead, at what stands inside one of them: whoever writes answers goes on with what they
 * decide. */
export function AnswerLeads({ id }: { id: NodeId }) {
  const question = useEditorValue(({ document }) => questionAround(document, id)?.question.id);
  const object = useNode(question ?? '');
  if (question === undefined || !object) return null;
  return (
    <details open className={styles.section}>
      <summary>When chosen, go to</summary>
      <OptionsLead id={question} object={object} />
    </details>
  );
}
