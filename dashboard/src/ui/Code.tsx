import { lazy, Suspense } from 'react';
import type { EditorProps } from './CodeEditor';
import { Waiting } from './Waiting';

const CodeEditor = lazy(async () => ({ default: (await import('./CodeEditor')).CodeEditor }));

/** A text that is code, to read or to edit. The editor is loaded when one is shown. */
export function Code(props: EditorProps) {
  return (
    <Suspense fallback={<Waiting height={typeof props.height === 'number' ? props.height : 480} />}>
      <CodeEditor {...props} />
    </Suspense>
  );
}
