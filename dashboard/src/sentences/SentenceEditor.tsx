import { useMemo } from 'react';
import type { Json, JsonObject } from '../editor/document/operation';
import { ClauseEditor } from './ClauseEditor';
import { ConditionTree } from './ConditionTree';
import { offered, type Subject } from './operators';
import { clauseFor, toExpression, toSentence } from './sentence';
import { words } from './words';

type Props = {
  /** What the condition is for, as screen readers say it. */
  label: string;
  expression: Json | undefined;
  subjects: readonly Subject[];
  /** Is given the condition as it is then; `typing` while more of the same is to come. */
  change: (expression: JsonObject, typing: boolean) => void;
  /** Is told that somebody went on to something else. */
  done: () => void;
};

/** A condition of a flow as rows: what, how, a value, and whether all or any of them must hold. */
export function SentenceEditor({ label, expression, subjects, change, done }: Props) {
  const sentence = useMemo(() => toSentence(expression), [expression]);
  const first = subjects.find((one) => offered(one).length > 0);
  return (
    <ConditionTree
      label={label}
      tree={sentence}
      put={(to, typing = false) => change(toExpression(to), typing)}
      begin={first && clauseFor(first)}
      words={(part) => words(part, subjects)}
      row={(clause, change, remove) => <ClauseEditor {...{ clause, subjects, change, remove, done }} />}
      depth={5}
    />
  );
}
