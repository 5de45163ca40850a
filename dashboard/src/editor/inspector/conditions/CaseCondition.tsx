import type { Subject } from '../../../sentences/operators';
import { SentenceEditor } from '../../../sentences/SentenceEditor';
import type { Found } from '../../document/document';
import { useEditing } from '../../useEditor';
import { LiveResult } from './LiveResult';
import { writeCondition } from './useCondition';

type Props = { item: Pick<Found, 'id' | 'object'>; subjects: readonly Subject[]; label: string };

/** The condition of a case. */
export function CaseCondition({ item, subjects, label }: Props) {
  const { editor, say } = useEditing();
  return (
    <>
      <SentenceEditor
        label={label}
        expression={item.object.expression}
        subjects={subjects}
        change={(value, typing) =>
          say(
            writeCondition(editor, item.id, value, typing, (gesture) =>
              editor.runStep(
                { name: '', operations: [{ op: 'set', node: item.id, path: ['expression'], value }] },
                { gesture },
              ),
            ),
          )
        }
        done={() => editor.endGesture()}
      />
      <LiveResult expression={item.object.expression} />
    </>
  );
}
