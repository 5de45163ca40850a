import type { StoredResponse } from '@svc/core';
import type { Subject } from '../../sentences/operators';
import { conditionWords, keyWords } from '../../sentences/words';
import { childrenOf, type Document, nodeOf } from '../document/document';
import { exitName } from '../document/exits';
import type { NodeId } from '../document/operation';
import { nameOf } from '../names';
import type { Reason } from './trail';

/** What a step is called; it may have been removed since a run was there. */
export function stepName(document: Document, step: NodeId | null): string {
  if (step === null) return 'The end';
  const node = nodeOf(document, step);
  return node ? nameOf(node.object, node.kind) : 'Removed since';
}

/** A reason as a sentence, with the conditions of the draft as it is now. */
export function reasonWords(document: Document, reason: Reason, subjects: readonly Subject[]): string {
  switch (reason.is) {
    case 'back':
      return 'Went back';
    case 'skipped':
      return 'Skipped';
    case 'answer': {
      const answer = answerWords(reason.field, { kind: 'multiChoice', choiceIds: [...reason.options] }, subjects)!;
      return `${answer.name}: ${answer.value}`;
    }
    case 'outcome':
      return exitName(document, { kind: 'outcome', node: '', key: reason.outcome });
    case 'decision': {
      const node = nodeOf(document, reason.decision);
      if (!node) return 'A decision that was removed since';
      const name = `“${nameOf(node.object, node.kind)}”`;
      if (reason.matched === null) return `${name}: no case holds`;
      const matched = childrenOf(node).find(({ object }) => object.id === reason.matched);
      return matched
        ? `${name}: ${conditionWords(matched.object.expression, subjects)}`
        : `${name}: a case that was removed since`;
    }
  }
}

/** An answer as its question has it; undefined for what answers no question. */
export function answerWords(
  key: string,
  response: StoredResponse,
  subjects: readonly Subject[],
): { name: string; value: string } | undefined {
  const subject = subjects.find(({ variable }) => variable.kind === 'field' && variable.fieldKey === key);
  const label = (id: string) => subject?.options?.find(({ value }) => value === id)?.label ?? keyWords(id);
  const of = (value: string) => ({ name: subject?.name ?? keyWords(key), value });
  switch (response.kind) {
    case 'choice':
      return of(label(response.choiceId));
    case 'multiChoice':
      return of(response.choiceIds.map(label).join(', ') || 'Nothing');
    case 'wheel':
      return of(subject?.options ? label(response.value) : response.value);
    case 'checkbox':
      return of(response.value ? 'Yes' : 'No');
    case 'text':
    case 'date_time':
    case 'phone':
    case 'scale':
    case 'number_stepper':
      return of(String(response.value));
    case 'address':
      return of(Object.values(response.value).filter(Boolean).join(', '));
    case 'permission_outcome':
      return of(label(response.outcome));
    case 'bypass_input':
      return of('Skipped');
    default:
      return undefined;
  }
}
