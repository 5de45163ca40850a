import { Button, Modal, SegmentedControl, Select, Textarea, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';

import { explain, type Finding, findingsOf } from '../../graphql/problems';
import { queryClient } from '../../graphql/query';
import { send } from '../../graphql/send';
import { Findings } from '../../ui/Findings';
import { type Example, exampleNames, exampleQuery, withPictures } from './examples';
import styles from './NewFlow.module.css';
import { createFlowDocument } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');
const flowsRoute = getRouteApi('/apps/$app/$environment/flows');

type Start = 'example' | 'import' | 'blank';

/** Makes a flow: of an example, of a manifest from elsewhere, or without a screen. */
export function NewFlow() {
  const [open, setOpen] = useState(false);
  return (
    <>
      <Button onClick={() => setOpen(true)}>New flow</Button>
      <Modal
        opened={open}
        onClose={() => setOpen(false)}
        title="New flow"
        size="lg"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        <Form />
      </Modal>
    </>
  );
}

function Form() {
  const place = flowsRoute.useParams();
  const { access } = appRoute.useRouteContext();
  const navigate = useNavigate();
  const [start, setStart] = useState<Start>('example');
  const [name, setName] = useState('');
  const [example, setExample] = useState<Example>('onboarding');
  const [text, setText] = useState('');
  const [problem, setProblem] = useState('');
  const [findings, setFindings] = useState<readonly Finding[]>([]);
  const [busy, setBusy] = useState(false);
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    setProblem('');
    setFindings([]);
    setBusy(true);
    try {
      const manifest =
        start === 'blank'
          ? undefined
          : start === 'example'
            ? await withPictures(await queryClient.fetchQuery(exampleQuery(example)), access.workspace.id)
            : JSON.parse(text);
      const { data } = await send(createFlowDocument, { app: place.app, name, manifest });
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
        placeholder="Onboarding"
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
          { value: 'example', label: 'An example' },
          { value: 'import', label: 'A manifest' },
          { value: 'blank', label: 'Blank' },
        ]}
      />
      {start === 'example' && (
        <Select
          label="Example"
          value={example}
          onChange={(value) => setExample((value as Example | null) ?? example)}
          allowDeselect={false}
          data={exampleNames.map(({ value, name, about }) => ({ value, label: `${name}: ${about}` }))}
        />
      )}
      {start === 'import' && (
        <Textarea
          label="Manifest"
          description="Paste the JSON, or drop its file here."
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
