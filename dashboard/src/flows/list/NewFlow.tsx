import { Button, Modal, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { explain, type Finding, findingsOf } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send, sendFile } from '../../graphql/send';
import { Findings } from '../../ui/Findings';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { CopiedFlow } from '../transfer/Copied';
import type { Source } from '../transfer/files';
import { ImportSource } from '../transfer/ImportSource';
import { type Copied, importFlowDocument } from '../transfer/queries';
import styles from './NewFlow.module.css';
import { createFlowDocument } from './queries';
import { TemplatePicker } from './TemplatePicker';
import { productsOf, type Sale, TemplateProducts } from './TemplateProducts';
import { TemplateRun } from './TemplateRun';
import templateStyles from './Templates.module.css';
import { templates } from './templates';

const appRoute = getRouteApi('/apps/$app/$environment');
const flowsRoute = getRouteApi('/apps/$app/$environment/flows');

type Start = 'template' | 'import' | 'blank';

/** Makes a flow: of a template, of a file or a manifest from elsewhere, or without a screen. */
export function NewFlow() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New flow</Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title="New flow"
        size={1080}
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Form />
      </Modal>
    </>
  );
}

function Form() {
  const place = flowsRoute.useParams();
  const { app } = appRoute.useRouteContext();
  const navigate = useNavigate();
  const [start, setStart] = useState<Start>('template');
  const [name, setName] = useState('');
  const [chosen, setChosen] = useState(templates[0]!.id);
  const [appName, setAppName] = useState(app.name);
  const [sale, setSale] = useState<Sale>({ provider: 'APP', references: {} });
  const [source, setSource] = useState<Source>({ kind: 'manifest', text: '' });
  const [copied, setCopied] = useState<Copied>();
  const [problem, setProblem] = useState('');
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [busy, setBusy] = useState(false);
  const template = templates.find(({ id }) => id === chosen)!;
  const openFlow = (flow: string) =>
    navigate({ to: '/apps/$app/$environment/flows/$flow/versions', params: { ...place, flow } });
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem('');
    setFindings([]);
    setBusy(true);
    try {
      if (start === 'import' && source.kind === 'bundle') {
        const { data } = await sendFile(importFlowDocument, { app: place.app, name }, source.file);
        await queryClient.invalidateQueries({ queryKey: ['Flows'] });
        const { flow, fontsAdded, missing } = data.importFlow;
        if (fontsAdded.length + missing.length > 0) setCopied(data.importFlow);
        else await openFlow(flow.id);
        return;
      }
      const content =
        start === 'template'
          ? { template: { id: chosen, appName, products: productsOf(template, sale) } }
          : start === 'import'
            ? { manifest: JSON.parse(source.kind === 'manifest' ? source.text : '') }
            : {};
      const { data } = await send(createFlowDocument, { app: place.app, name, ...content });
      await queryClient.invalidateQueries({ queryKey: ['Flows'] });
      await openFlow(data.createFlow.id);
    } catch (error) {
      setFindings(findingsOf(error));
      const { title, detail } = explain(error);
      const named = source.kind === 'bundle' ? detail.replace(/^file:/, source.file.name) : detail;
      setProblem(error instanceof SyntaxError ? `This is not valid JSON: ${error.message}` : `${title}. ${named}`);
      setBusy(false);
    }
  };
  if (copied) return <CopiedFlow copied={copied} app={app.name} place={place} />;
  return (
    <form className={styles.form} onSubmit={submit}>
      <TextInput
        label="Name"
        placeholder={start === 'template' ? template.name : 'Onboarding'}
        required
        maxLength={80}
        data-autofocus
        value={name}
        onChange={(event) => setName(event.currentTarget.value)}
      />
      <SegmentedControl
        aria-label="Start from"
        value={start}
        onChange={(value) => setStart(value as Start)}
        data={[
          { value: 'template', label: 'Template' },
          { value: 'import', label: 'Import' },
          { value: 'blank', label: 'Blank' },
        ]}
      />
      {start === 'template' && (
        <div className={templateStyles.both}>
          <div className={styles.form}>
            <TemplatePicker value={chosen} onChange={setChosen} />
            <TextInput
              label="App in the texts"
              required
              maxLength={80}
              value={appName}
              onChange={(event) => setAppName(event.currentTarget.value)}
            />
            {template.products.length > 0 && (
              <TemplateProducts products={template.products} sale={sale} setSale={setSale} />
            )}
          </div>
          <TemplateRun template={template} />
        </div>
      )}
      {start === 'import' && (
        <ImportSource
          source={source}
          setSource={setSource}
          suggest={(suggested) => setName((before) => before || suggested)}
        />
      )}
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <Findings findings={findings} />
      <Button type="submit" loading={busy}>
        Create flow
      </Button>
    </form>
  );
}
