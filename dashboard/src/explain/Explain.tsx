import { ActionIcon, Tooltip } from '@mantine/core';
import { lazy, Suspense, useState } from 'react';
import type { Asked } from '../graphql/send';
import type { Figures } from './definitions';
import type { Part } from './parts';

const Explanation = lazy(async () => ({ default: (await import('./Explanation')).Explanation }));

export type Explained = {
  /** What is explained: the title of its card. */
  title: string;
  /** The response paths of what the card shows. */
  parts: readonly Part[];
  asked: Asked;
  at: Date;
  /** Its figures by the ids of definitions, those of the page with their values. */
  figures?: Figures;
  /** Which of many the figures are of, such as the first row of a table. */
  example?: string;
  /** Set where the figures come from sketches; all others are exact. */
  approximate?: string;
};

/** A `?` that says where the figures beside it come from. */
export function Explain(explained: Explained) {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Tooltip label="Where this comes from" disabled={open}>
        <ActionIcon
          variant="subtle"
          color="gray"
          size={22}
          aria-label={`Explain ${explained.title}`}
          onClick={() => setOpen(true)}
        >
          <span aria-hidden="true">?</span>
        </ActionIcon>
      </Tooltip>
      <Suspense>{open && <Explanation {...explained} close={() => setOpen(false)} />}</Suspense>
    </>
  );
}
