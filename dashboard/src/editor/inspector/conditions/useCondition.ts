import { useMemo } from 'react';
import { offered, type Subject } from '../../../sentences/operators';
import { clauseFor, toExpression } from '../../../sentences/sentence';
import type { Document } from '../../document/document';
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

/** A condition to begin with at a node: about the last question up to its screen, else about any, else the device. */
export function firstCondition(subjects: readonly Subject[], document: Document, at: NodeId): JsonObject {
  const screen = screenOf(document, at);
  const order = screensIn(document.flow).map(({ id }) => id);
  const before = order.slice(0, order.indexOf(screen ?? '') + 1 || undefined);
  const usable = subjects.filter((one) => offered(one).length > 0);
  const subject = usable.findLast(({ asked }) => asked !== undefined && before.includes(asked)) ?? usable[0]!;
  return toExpression(clauseFor(subject));
}
