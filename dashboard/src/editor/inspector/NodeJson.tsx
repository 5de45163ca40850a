import { lazy, Suspense, useState } from 'react';
import { Waiting } from '../../ui/Waiting';
import { isObject } from '../document/canonical';
import { nodeOf } from '../document/document';
import type { Json, NodeId } from '../document/operation';
import { stepsIn } from '../steps';
import { useEditing, useNode } from '../useEditor';
import styles from './Inspector.module.css';
import { operationsFor, ownJson } from './json';

const NodeCode = lazy(async () => ({ default: (await import('./code/NodeCode')).NodeCode }));

/** Everything that a node has of its own, as JSON. What is valid is applied as it is typed. */
export function NodeJson({ id, name }: { id: NodeId; name: string }) {
  const { editor, canEdit } = useEditing();
  const object = useNode(id);
  const node = nodeOf(editor.document, id);
  const [typed, setTyped] = useState<string>();
  const [problem, setProblem] = useState('');
  if (!object || !node) return null;
  const change = (text: string) => {
    setTyped(text);
    let written: Json;
    try {
      written = JSON.parse(text) as Json;
    } catch {
      return setProblem('This is not valid JSON yet.');
    }
    if (!isObject(written)) return setProblem('A node is an object: { … }.');
    const operations = operationsFor(nodeOf(editor.document, id)!, written);
    const done = operations.length === 0 || editor.runStep({ name: '', operations }, { gesture: `json ${id}` });
    setProblem(done === true ? '' : done);
  };
  return (
    <>
      <Suspense fallback={<Waiting height={320} />}>
        <NodeCode
          label={`JSON of ${name}`}
          text={typed ?? JSON.stringify(ownJson(node), null, 2)}
          height={320}
          kind={node.kind}
          targets={() => stepsIn(editor.document.flow)}
          {...(canEdit && { change })}
        />
      </Suspense>
      <p role="status" className={styles.problem}>
        {problem}
      </p>
    </>
  );
}
