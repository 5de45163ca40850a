import { Button, Modal, TextInput } from '@mantine/core';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { queryClient } from '../../graphql/query';
import { send, sendFile } from '../../graphql/send';
import { CopiedFlow } from '../transfer/Copied';
import { type Copied, importFlowDocument } from '../transfer/queries';
import { type Content, ContentForm } from './ContentForm';
import { createFlowDocument } from './queries';

const appRoute = getRouteApi('/apps/$app/$environment');
const flowsRoute = getRouteApi('/apps/$app/$environment/flows');

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
  const [name, setName] = useState('');
  const [copied, setCopied] = useState<Copied>();
  const openFlow = (flow: string) =>
    navigate({ to: '/apps/$app/$environment/flows/$flow/edit', params: { ...place, flow }, search: {} });
  const create = async ({ file, ...content }: Content) => {
    const made = file
      ? (await sendFile(importFlowDocument, { app: place.app, name }, file)).data.importFlow
      : { flow: (await send(createFlowDocument, { app: place.app, name, ...content })).data.createFlow };
    await queryClient.invalidateQueries({ queryKey: ['Flows'] });
    if ('missing' in made && made.fontsAdded.length + made.missing.length > 0) setCopied(made);
    else await openFlow(made.flow.id);
  };
  if (copied) return <CopiedFlow copied={copied} app={app.name} place={place} page="edit" />;
  return (
    <ContentForm
      starts={[
        { value: 'template', label: 'Template' },
        { value: 'import', label: 'Import' },
        { value: 'blank', label: 'Blank' },
      ]}
      begins="template"
      app={app.name}
      suggest={(suggested) => setName((before) => before || suggested)}
      act={() => 'Create flow'}
      submit={create}
    >
      {(start, template) => (
        <TextInput
          label="Name"
          placeholder={start === 'template' ? template.name : 'Onboarding'}
          required
          maxLength={80}
          data-autofocus
          value={name}
          onChange={(event) => setName(event.currentTarget.value)}
        />
      )}
    </ContentForm>
  );
}
