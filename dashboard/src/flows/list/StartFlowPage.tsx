import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { may } from '../../app/session/session';
import { queryClient } from '../../graphql/query';
import { send, sendFile } from '../../graphql/send';
import { Card } from '../../ui/Card';
import { screensOf } from '../preview/manifest';
import { CopiedFlow } from '../transfer/Copied';
import { type Copied, fillFlowDocument } from '../transfer/queries';
import { FlowTabs } from '../versions/FlowTabs';
import { isMissing, NoFlow } from '../versions/NoFlow';
import styles from '../versions/Versions.module.css';
import { type Content, ContentForm } from './ContentForm';
import { startQuery } from './queries';

const askEditor = <span>Ask an editor to start it.</span>;

const appRoute = getRouteApi('/apps/$app/$environment');
const startRoute = getRouteApi('/apps/$app/$environment/flows/$flow/start');

/** Fills a flow that has no screens: with a template, or with a flow from elsewhere. */
export function StartFlowPage() {
  const place = startRoute.useParams();
  const { content = 'template' } = startRoute.useSearch();
  const { app, access } = appRoute.useRouteContext();
  const answer = useQuery(startQuery(place.flow));
  const navigate = useNavigate();
  const [copied, setCopied] = useState<Copied>();
  const fill = async ({ file, ...rest }: Content) => {
    const sent = file
      ? sendFile(fillFlowDocument, { flow: place.flow }, file)
      : send(fillFlowDocument, { flow: place.flow, ...rest });
    const { fillFlow: filled } = (await sent).data;
    await queryClient.invalidateQueries();
    if (filled.fontsAdded.length + filled.missing.length > 0) setCopied(filled);
    else await navigate({ to: '/apps/$app/$environment/flows/$flow/edit', params: place, search: {} });
  };
  const edit = (
    <Link to="/apps/$app/$environment/flows/$flow/edit" params={place} search={{}}>
      Edit
    </Link>
  );
  if (isMissing(answer.data)) return <NoFlow place={place} />;
  return (
    <>
      <h1 className={styles.title}>{answer.data?.data.flow?.name ?? 'Flow'}</h1>
      <FlowTabs place={place} />
      <Card
        title="Start the flow"
        answer={answer}
        part={({ flow }) => flow}
        path="flow"
        waiting={{ height: 480 }}
        empty={({ draft }) =>
          screensOf(draft).length > 0 && !copied
            ? { title: 'The flow has started', why: 'A template or a file fills a flow without screens.', next: edit }
            : may(access, 'FLOW_EDIT')
              ? undefined
              : { title: 'No screens yet', why: 'Your role lets you look at flows.', next: askEditor }
        }
      >
        {() =>
          copied ? (
            <CopiedFlow copied={copied} app={app.name} place={place} page="edit" />
          ) : (
            <ContentForm
              key={content}
              starts={[
                { value: 'template', label: 'Template' },
                { value: 'import', label: 'Import' },
              ]}
              begins={content}
              app={app.name}
              act={(start) => (start === 'template' ? 'Use this template' : 'Import')}
              submit={fill}
            />
          )
        }
      </Card>
    </>
  );
}
