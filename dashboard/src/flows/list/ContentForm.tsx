import { Button } from '@mantine/core';
import { type FormEvent, type ReactNode, useState } from 'react';
import type { VariablesOf } from '../../graphql/graphql';
import { explain, type Finding, findingsOf } from '../../graphql/problems';
import { Findings } from '../../ui/Findings';
import { SegmentedControl } from '../../ui/SegmentedControl';
import type { Source } from '../transfer/files';
import { ImportSource } from '../transfer/ImportSource';
import styles from './NewFlow.module.css';
import { TemplateFields } from './TemplateFields';
import { productsOf, type Sale } from './TemplateProducts';
import { type Template, templates } from './templates';

/** What a flow begins with. */
export type Start = 'template' | 'import' | 'blank';

/** What is sent of it: a template, a manifest, the file of an exported flow, or nothing for a blank flow. */
export type Content = Pick<VariablesOf<'CreateFlow'>, 'template' | 'manifest'> & { file?: File };

type Props = {
  starts: readonly { value: Start; label: string }[];
  begins: Start;
  /** The name of the app, which stands in the texts of templates. */
  app: string;
  /** What is asked beside the content. */
  children?: (start: Start, template: Template) => ReactNode;
  /** Hears the name of a flow by that of its file. */
  suggest?: (name: string) => void;
  /** The words of the button. */
  act: (start: Start) => string;
  submit: (content: Content) => Promise<void>;
};

/** Asks for what a flow begins with. What is refused is said below, and nothing that was typed is lost. */
export function ContentForm({ starts, begins, app, children, suggest = () => {}, act, submit }: Props) {
  const [start, setStart] = useState(begins);
  const [chosen, setChosen] = useState(templates[0]!.id);
  const [appName, setAppName] = useState(app);
  const [sale, setSale] = useState<Sale>({ provider: 'APP', references: {} });
  const [source, setSource] = useState<Source>({ kind: 'manifest', text: '' });
  const [problem, setProblem] = useState('');
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [busy, setBusy] = useState(false);
  const template = templates.find(({ id }) => id === chosen)!;
  const read = (): Content => {
    if (start === 'blank') return {};
    if (start === 'template') return { template: { id: chosen, appName, products: productsOf(template, sale) } };
    return source.kind === 'bundle' ? { file: source.file } : { manifest: JSON.parse(source.text) };
  };
  const send = async (event: FormEvent) => {
    event.preventDefault();
    setProblem('');
    setFindings([]);
    setBusy(true);
    try {
      await submit(read());
    } catch (error) {
      setFindings(findingsOf(error));
      const { title, detail } = explain(error);
      const named = source.kind === 'bundle' ? detail.replace(/^file:/, source.file.name) : detail;
      setProblem(error instanceof SyntaxError ? `This is not valid JSON: ${error.message}` : `${title}. ${named}`);
      setBusy(false);
    }
  };
  return (
    <form className={styles.form} onSubmit={send}>
      {children?.(start, template)}
      <SegmentedControl
        aria-label="Start from"
        value={start}
        onChange={(value) => setStart(value as Start)}
        data={[...starts]}
      />
      {start === 'template' && (
        <TemplateFields
          template={template}
          choose={setChosen}
          appName={appName}
          setAppName={setAppName}
          sale={sale}
          setSale={setSale}
        />
      )}
      {start === 'import' && <ImportSource source={source} setSource={setSource} suggest={suggest} />}
      <div className={styles.end}>
        <p role="alert" className={styles.problem}>
          {problem}
        </p>
        <Findings findings={findings} />
        <Button type="submit" loading={busy}>
          {act(start)}
        </Button>
      </div>
    </form>
  );
}
