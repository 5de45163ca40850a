import { useMemo } from 'react';
import { offered, type Subject } from '../../../sentences/operators';
import { attributesIn, clauseFor, toExpression, toSentence } from '../../../sentences/sentence';
import { attributeKeys, setAttributes } from '../../attributes';
import type { Document } from '../../document/document';
import type { Editor } from '../../document/editor';
import type { JsonObject, NodeId } from '../../document/operation';
import { screenOf } from '../../document/selection';
import { screensIn } from '../../screens';
import { subjectsOf } from '../../subjects';
import { useEditorValue } from '../../useEditor';

/** What a condition can be about; at a layer, without what is asked behind it. */
export function useSubjects(at?: NodeId): Subject[] {
  const document = useEditorValue((editor) => editor.document);
  return useMemo(() => subjectsOf(document, at), [document, at]);
}

/** Lists in the flow the attributes that a condition asks for, so that the app is known to send them; joins with the step
 * of the same gesture to one undo. */
function listAttributes(editor: Editor, expression: JsonObject, gesture: string) {
  const listed = attributeKeys(editor.document.flow);
  const asked = attributesIn(toSentence(expression)).filter((key) => !listed.includes(key));
  if (asked.length === 0) return;
  const keys = [...new Set([...listed, ...asked])];
  editor.runStep({ name: '', operations: [setAttributes(keys)] }, { gesture });
}

/** Writes a condition as one undo, with the attributes that it is the first to ask for. */
export function writeCondition(
  editor: Editor,
  node: NodeId,
  expression: JsonObject,
  typing: boolean,
  write: (gesture: string) => true | string,
): true | string {
  const gesture = typing ? `condition ${node}` : `condition ${editor.newId('edit')}`;
  const outcome = write(gesture);
  if (outcome === true) listAttributes(editor, expression, gesture);
  if (!typing) editor.endGesture();
  return outcome;
}

/** A condition to begin with at a node: about the last question up to its screen, else about any, else the device. */
export function firstCondition(subjects: readonly Subject[], document: Document, at: NodeId): JsonObject {
  const screen = screenOf(document, at);
  const order = screensIn(document.flow).map(({ id }) => id);
  const before = order.slice(0, order.indexOf(screen ?? '') + 1 || undefined);
  const usable = subjects.filter((one) => offered(one).length > 0);
  const subject = usable.findLast(({ asked }) => asked !== undefined && before.includes(asked)) ?? usable[0]!;
  return toExpression(clauseFor(subject));
}
