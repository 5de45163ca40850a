import { useMemo } from 'react';
import { offered, type Subject } from '../../../sentences/operators';
import { clauseFor, toExpression } from '../../../sentences/sentence';
import type { JsonObject, NodeId } from '../../document/operation';
import { subjectsOf } from '../../subjects';
import { useEditorValue } from '../../useEditor';

/** What a condition can be about; at a layer, without what is asked behind it. */
export function useSubjects(at?: NodeId): Subject[] {
  const document = useEditorValue((editor) => editor.document);
  return useMemo(() => subjectsOf(document, at), [document, at]);
}

/** A condition to begin with: about the last question that was asked before, else about the device. */
export function firstCondition(subjects: readonly Subject[]): JsonObject {
  const usable = subjects.filter((one) => offered(one).length > 0);
  const subject = usable.findLast(({ variable }) => variable.kind === 'field') ?? usable[0]!;
  return toExpression(clauseFor(subject));
}
