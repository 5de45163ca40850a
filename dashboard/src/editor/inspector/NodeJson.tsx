import { useState } from 'react';
import { Code } from '../../ui/Code';
import { isObject } from '../document/canonical';
import { nodeOf } from '../document/document';
import type { Json, NodeId } from '../document/operation';
import { useEditing, useNode } from '../useEditor';
import styles from './Inspector.module.css';
import { operationsFor, ownJson } from './json';

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
      <Code
        label={`JSON of ${name}`}
        text={typed ?? JSON.stringify(ownJson(node), null, 2)}
        height={320}
        {...(canEdit && { change })}
      />
      <p role="status" className={styles.problem}>
        {problem}
      </p>
    </>
  );
}
