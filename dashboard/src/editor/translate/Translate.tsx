import { Button, Select, TextInput } from '@mantine/core';
import { useClipboard } from '@mantine/hooks';
import { type DragEvent, useCallback, useEffect, useMemo, useState } from 'react';
import { isTyping } from '../../app/keys';
import { downloadText, giveFile } from '../../ui/csv';
import { Icon } from '../../ui/Icon';
import type { Look } from '../canvas/Canvas';
import type { NodeId } from '../document/operation';
import { languageName, localesIn } from '../locales';
import { useEditing, useNode } from '../useEditor';
import { Context } from './Context';
import { writeFile } from './file';
import { ImportDialog } from './ImportDialog';
import { languagesBeside } from './languages';
import { TextTable } from './TextTable';
import styles from './Translate.module.css';
import { type FlowText, textsIn } from './texts';

type Props = {
  /** What the flow is called. */
  name: string;
  /** Shows a layer where it is designed. */
  show: (layer: NodeId) => void;
  /** What screens are drawn with. */
  look: Look;
};

/** All texts of the flow, a column for each language; out of it and into it by CSV and XLIFF. */
export function Translate({ name, show, look }: Props) {
  const { editor, canEdit, say } = useEditing();
  const flow = useNode('flow')!;
  const texts = useMemo(() => textsIn({ ...editor.document, flow }), [editor, flow]);
  const locales = localesIn(flow);
  const codes = locales.map(({ value }) => value);
  const [search, setSearch] = useState('');
  const [taken, take] = useState<string | File>();
  const [pointed, setPointed] = useState<{ key: string; locale: string }>();
  const [contextOn, turnContext] = useState(true);
  const point = useCallback(({ key }: FlowText, locale: string) => {
    setPointed((was) => (was?.key === key && was.locale === locale ? was : { key, locale }));
  }, []);
  const inContext = contextOn && pointed ? texts.find(({ key }) => key === pointed.key) : undefined;
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
      : texts.filter((text) =>
          [text.layer, text.note, ...codes.map(text.read)].some((one) => one.toLowerCase().includes(wanted)),
        );
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
          <XliffButton name={name} texts={texts} locales={codes} />
          {!contextOn && (
            <Button size="xs" variant="default" onClick={() => turnContext(true)}>
              Show context
            </Button>
          )}
          {canEdit && (
            <Button size="xs" variant="default" onClick={() => take('')}>
              Import
            </Button>
          )}
        </span>
      </div>
      {texts.length === 0 ? (
        <p className={styles.none}>The screens have no texts yet.</p>
      ) : (
        <div className={styles.main}>
          <TextTable all={texts} shown={shown} locales={locales} show={show} point={point}>
            {shown.length === 0 && <p className={styles.none}>No text has these words.</p>}
            {codes.length === 1 && (
              <p className={styles.none}>
                {canEdit
                  ? 'The flow has one language. Add another above, or paste a CSV that has one.'
                  : 'The flow has one language.'}
              </p>
            )}
          </TextTable>
          {inContext && (
            <Context text={inContext} locale={pointed!.locale} look={look} close={() => turnContext(false)} />
          )}
        </div>
      )}
      {taken !== undefined && <ImportDialog texts={texts} start={taken} close={() => take(undefined)} />}
    </section>
  );
}

/** Gives out XLIFF: a file for each language, several as a zip. What writes it is loaded for it. */
function XliffButton({
  name,
  texts,
  locales,
}: {
  name: string;
  texts: readonly FlowText[];
  locales: readonly string[];
}) {
  const [source, ...targets] = locales;
  const download = async () => {
    const { writeXliff } = await import('./xliff');
    const files = targets.map((target) => {
      const written = writeXliff(name, texts, { source: source!, target });
      return [`${name}.${target}.xlf`.replaceAll('/', '-'), written] as const;
    });
    if (files.length === 1) return downloadText(...files[0]!, 'application/xliff+xml');
    const { strToU8, zipSync } = await import('fflate');
    const zip = zipSync(Object.fromEntries(files.map(([path, text]) => [path, strToU8(text)])));
    giveFile(`${name}.zip`, new Blob([zip as Uint8Array<ArrayBuffer>], { type: 'application/zip' }));
  };
  return (
    <Button
      size="xs"
      variant="default"
      disabled={texts.length === 0 || targets.length === 0}
      title={targets.length > 1 ? 'XLIFF 2.0, a file for each language' : 'XLIFF 2.0'}
      onClick={() => void download()}
    >
      Download XLIFF
    </Button>
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
