import { lazy, Suspense } from 'react';
import type { DocumentProps } from './DocumentEditor';
import { Waiting } from './Waiting';

const DocumentEditor = lazy(async () => ({ default: (await import('./DocumentEditor')).DocumentEditor }));

/** A text that is code, to read or to edit. The editor is loaded when one is shown. */
export function Code(props: DocumentProps) {
  return (
    <Suspense fallback={<Waiting height={typeof props.height === 'number' ? props.height : 480} />}>
      <DocumentEditor {...props} />
    </Suspense>
  );
}
