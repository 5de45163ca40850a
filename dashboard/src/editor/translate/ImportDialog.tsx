import { Button, FileButton, Input, Modal } from '@mantine/core';
import { type DragEvent, useCallback, useEffect, useMemo, useState } from 'react';
import form from '../../ui/Form.module.css';
import { Problem } from '../../ui/Problem';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { localesIn } from '../locales';
import { defaultLocaleOf } from '../text';
import { useEditing, useNode } from '../useEditor';
import { decode, isXml, mostBytes, readFile, type Table } from './file';
import { ImportPreview } from './ImportPreview';
import { type Choices, operationsOf, planImport } from './plan';
import styles from './Translate.module.css';
import type { FlowText } from './texts';

type Props = {
  texts: readonly FlowText[];
  /** What was pasted or dropped; '' to be asked for it. */
  start: string | File;
  close: () => void;
};

/** Takes translations in from CSV: first what they would change, then the change as one step. */
export function ImportDialog({ texts, start, close }: Props) {
  useReturnFocus();
  const { editor, say } = useEditing();
  const flow = useNode('flow')!;
  const [table, setTable] = useState<Table>();
  const [problem, setProblem] = useState('');
  const source = defaultLocaleOf(flow);
  const [choices, choose] = useState<Choices>({ add: new Set(), take: new Set() });

  const read = useCallback(
    async (given: string | File) => {
      setTable(undefined);
      const size = typeof given === 'string' ? 0 : given.size;
      // UTF-16 has twice the bytes of most texts.
      const text = size > 2 * mostBytes ? undefined : typeof given === 'string' ? given : await decode(given);
      const found =
        text !== undefined
          ? await readEither(text, source)
          : size > 2 * mostBytes
            ? 'It has more than 1 MB. Split it by screen'
            : 'It is not in UTF-8. Save it as “CSV UTF-8” in your spreadsheet';
      if (typeof found === 'string') setProblem(`${found}.`);
      else {
        setProblem('');
        choose({ add: new Set(), take: new Set() });
        setTable(found);
      }
    },
    [source],
  );
  useEffect(() => {
    if (start !== '') void read(start);
  }, [start, read]);

  const target = useMemo(() => {
    const locales = localesIn(flow).map(({ value }) => value);
    return { texts, locales, defaultLocale: defaultLocaleOf(flow) };
  }, [texts, flow]);
  const plan = useMemo(() => table && planImport(target, table, choices), [target, table, choices]);
  const known = typeof plan === 'object' ? plan : undefined;
  const apply = () => {
    if (!known) return;
    close();
    const { length } = known.changes;
    const other = known.notes.length > 0 ? 'Change notes' : 'Review translations';
    const name = length > 0 ? `Translate ${length} ${length === 1 ? 'text' : 'texts'}` : other;
    say(editor.runAll(name, operationsOf(known, target)));
  };
  const drop = (event: DragEvent) => {
    event.preventDefault();
    event.stopPropagation();
    const [file] = event.dataTransfer.files;
    if (event.type === 'drop' && file) void read(file);
  };
  const count = known ? known.changes.length + known.notes.length + known.states.length : 0;
  return (
    <Modal
      opened
      onClose={close}
      title="Import translations"
      size={known ? 'xl' : 'lg'}
      closeButtonProps={{ 'aria-label': 'Close' }}
    >
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is one way; the button is another */}
      <div className={styles.dialog} onDragOver={drop} onDrop={drop}>
        {known ? (
          <ImportPreview plan={known} choices={choices} choose={choose} defaultLocale={target.defaultLocale} />
        ) : (
          <>
            <p>
              Paste rows of a spreadsheet or a CSV: a column <b>Key</b> or the texts of the default language, and a
              column for each language, named by its code or name in the first row. Empty cells change nothing. Or
              choose XLIFF 2, of one language.
            </p>
            <Input
              component="textarea"
              multiline
              aria-label="Rows"
              placeholder="Paste here, or drop a file"
              rows={6}
              data-autofocus
              onChange={({ target }) => void read(target.value)}
            />
          </>
        )}
        <Problem text={typeof plan === 'string' ? `${plan}.` : problem} />
        <div className={form.acts} data-at="apart">
          <FileButton
            accept=".csv,.tsv,.txt,.xlf,.xliff,text/csv,application/xliff+xml"
            onChange={(file) => file && void read(file)}
          >
            {(props) => (
              <Button {...props} variant="default">
                {known ? 'Choose another file' : 'Choose a file'}
              </Button>
            )}
          </FileButton>
          <div className={form.acts}>
            <Button variant="default" onClick={close}>
              Cancel
            </Button>
            {known && (
              <Button disabled={count === 0} onClick={apply} data-autofocus>
                {count === 0 ? 'Nothing to change' : count === 1 ? 'Apply 1 change' : `Apply ${count} changes`}
              </Button>
            )}
          </div>
        </div>
      </div>
    </Modal>
  );
}

/** Reads XLIFF or a table. What reads XLIFF is loaded for it. */
async function readEither(text: string, defaultLocale: string): Promise<Table | string> {
  if (!isXml(text)) return readFile(text);
  const { readXliff } = await import('./xliff');
  return readXliff(text, defaultLocale);
}
