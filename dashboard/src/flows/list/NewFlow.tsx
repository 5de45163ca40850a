import { Button, Modal, SegmentedControl, Textarea, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { explain, type Finding, findingsOf } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Findings } from '../../ui/Findings';
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

/** Makes a flow: of a template, of a manifest from elsewhere, or without a screen. */
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
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [busy, setBusy] = useState(false);
  const template = templates.find(({ id }) => id === chosen)!;
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem('');
    setFindings([]);
    setBusy(true);
    try {
      const content =
        start === 'template'
          ? { template: { id: chosen, appName, products: productsOf(template, sale) } }
          : start === 'import'
            ? { manifest: JSON.parse(text) }
            : {};
      const { data } = await send(createFlowDocument, { app: place.app, name, ...content });
      await queryClient.invalidateQueries({ queryKey: ['Flows'] });
      await navigate({
        to: '/apps/$app/$environment/flows/$flow/versions',
        params: { ...place, flow: data.createFlow.id },
      });
    } catch (error) {
      setFindings(findingsOf(error));
      const { title, detail } = explain(error);
      setProblem(error instanceof SyntaxError ? `This is not valid JSON: ${error.message}` : `${title}. ${detail}`);
      setBusy(false);
    }
  };
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
        <Textarea
          label="Flow file (JSON)"
          description="Paste or drop the JSON of a flow from another workspace or a repository."
          required
          autosize
          minRows={6}
          maxRows={14}
          classNames={{ input: styles.code }}
          value={text}
          onChange={(event) => setText(event.currentTarget.value)}
          onDragOver={(event) => event.preventDefault()}
          onDrop={(event) => {
            const [file] = event.dataTransfer.files;
            if (!file) return;
            event.preventDefault();
            void file.text().then(setText);
            if (!name) setName(file.name.replace(/\.json$/i, ''));
          }}
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
