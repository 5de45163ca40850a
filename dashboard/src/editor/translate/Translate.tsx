import { Button, Select, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type DragEvent, useEffect, useMemo, useState } from 'react';
import { isTyping } from '../../app/keys';
import { downloadText } from '../../ui/csv';
import { Icon } from '../../ui/Icon';
import type { NodeId } from '../document/operation';
import { languageName, localesIn } from '../locales';
import { useEditing, useNode } from '../useEditor';
import { writeFile } from './file';
import { ImportDialog } from './ImportDialog';
import { languagesBeside } from './languages';
import { TextTable } from './TextTable';
import styles from './Translate.module.css';
import { textsIn } from './texts';

type Props = {
  /** What the flow is called. */
  name: string;
  /** Shows a layer where it is designed. */
  show: (layer: NodeId) => void;
};

/** All texts of the flow, a column for each language; out of it and into it by CSV. */
export function Translate({ name, show }: Props) {
  const { editor, canEdit, say } = useEditing();
  const flow = useNode('flow')!;
  const texts = useMemo(() => textsIn({ ...editor.document, flow }), [editor, flow]);
  const locales = localesIn(flow);
  const codes = locales.map(({ value }) => value);
  const [search, setSearch] = useState('');
  const [taken, take] = useState<string | File>();
  usePaste(canEdit && taken === undefined, take);

  const add = (locale: string | null) => {
    if (!locale) return;
    const operation = { op: 'set', node: 'flow', path: ['locales'], value: [...codes, locale] } as const;
    say(editor.runStep({ name: `Add ${languageName(locale)}`, operations: [operation] }));
  };
  const drop = (event: DragEvent) => {
    if (!canEdit || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    const [file] = event.dataTransfer.files;
    if (event.type === 'drop' && file) take(file);
  };
  const wanted = search.trim().toLowerCase();
  const shown =
    wanted === ''
      ? texts
      : texts.filter((text) => [text.layer, ...codes.map(text.read)].some((one) => one.toLowerCase().includes(wanted)));
  // Written when it is asked for: thousands of texts take longer than a key may.
  const { copied, copy } = useClipboard({ timeout: 1000 });
  return (
    <section className={styles.page} aria-label="Translate" onDragOver={drop} onDrop={drop}>
      <div className={styles.bar}>
        <TextInput
          size="xs"
          aria-label="Search texts"
          placeholder="Search texts"
          value={search}
          onChange={({ target }) => setSearch(target.value)}
          className={styles.search}
        />
        {canEdit && (
          <Select
            size="xs"
            aria-label="Add a language"
            placeholder="Add a language"
            searchable
            value={null}
            data={languagesBeside(new Set(codes))}
            onChange={add}
            className={styles.add}
          />
        )}
        <span className={styles.file}>
          <Button
            size="xs"
            variant="default"
            onClick={() => copy(writeFile(texts, codes))}
            disabled={texts.length === 0}
          >
            {copied ? 'Copied' : 'Copy as CSV'}
          </Button>
          <Button
            size="xs"
            variant="default"
            leftSection={<Icon name="download" size={14} />}
            disabled={texts.length === 0}
            // Without the mark at its beginning Excel takes it for another encoding.
            onClick={() => downloadText(`${name}.csv`, `\ufeff${writeFile(texts, codes)}`, 'text/csv;charset=utf-8')}
          >
            Download CSV
          </Button>
          {canEdit && (
            <Button size="xs" onClick={() => take('')}>
              Import CSV
            </Button>
          )}
        </span>
      </div>
      {texts.length === 0 ? (
        <p className={styles.none}>The screens have no texts yet.</p>
      ) : (
        <TextTable all={texts} shown={shown} locales={locales} show={show}>
          {shown.length === 0 && <p className={styles.none}>No text has these words.</p>}
          {codes.length === 1 && (
            <p className={styles.none}>
              {canEdit
                ? 'The flow has one language. Add another above, or paste a CSV that has one.'
                : 'The flow has one language.'}
            </p>
          )}
        </TextTable>
      )}
      {taken !== undefined && <ImportDialog texts={texts} start={taken} close={() => take(undefined)} />}
    </section>
  );
}

/** Takes in what is pasted while nothing is written, before it would be layers. */
function usePaste(active: boolean, take: (text: string) => void) {
  useEffect(() => {
    if (!active) return;
    const paste = (event: ClipboardEvent) => {
      if (isTyping(event.target) || !event.clipboardData) return;
      event.preventDefault();
      take(event.clipboardData.getData('text/plain'));
    };
    document.addEventListener('paste', paste);
    return () => document.removeEventListener('paste', paste);
  }, [active, take]);
}
