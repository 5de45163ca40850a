import { Button } from '@mantine/core';
import { getRouteApi, Link } from '@tanstack/react-router';
import { useState } from 'react';
import { explain } from '../../graphql/problems';
import { send } from '../../graphql/send';
import { formatAgo } from '../../ui/format';
import { declineDocument, type FlowDetail, versionsChanged } from './queries';
import styles from './Versions.module.css';

const versionsRoute = getRouteApi('/apps/$app/$environment/flows/$flow/versions');

type Props = { flow: FlowDetail; mayPublish: boolean; mayEdit: boolean };

/** A draft that somebody asks to be published, for whoever decides. */
export function Requested({ flow, mayPublish, mayEdit }: Props) {
  const place = versionsRoute.useParams();
  const [problem, setProblem] = useState('');
  const [busy, setBusy] = useState(false);
  const request = flow.publishRequest;
  if (!request || flow.archivedAt !== null) return null;
  const decline = async () => {
    setBusy(true);
    setProblem('');
    try {
      await send(declineDocument, { flow: flow.id });
      await versionsChanged();
    } catch (error) {
      const { title, detail } = explain(error);
      setProblem(`${title}. ${detail}`);
    }
    setBusy(false);
  };
  const who = request.createdBy ? request.createdBy.name || request.createdBy.email : 'A former member';
  const link = { to: '/apps/$app/$environment/flows/$flow/versions', params: place } as const;
  return (
    <section className={styles.requested} aria-label="Request to publish">
      <b>
        {request.apiKeyName ? `${request.apiKeyName}, an API key of ${who},` : who} asks to publish the draft
        {request.label && `: ${request.label}`}
      </b>
      {request.text && <p>{request.text}</p>}
      <small>
        {formatAgo(request.createdAt)}
        {request.revision !== flow.draftRevision && ' · the draft was changed since'}
      </small>
      <p role="alert" className={styles.problem}>
        {problem}
      </p>
      <div className={styles.tools}>
        <Button variant="default" renderRoot={(props) => <Link {...link} search={{ as: 'compare' }} {...props} />}>
          Compare
        </Button>
        {mayPublish && (
          <Button renderRoot={(props) => <Link {...link} search={{ as: 'compare', publish: 'draft' }} {...props} />}>
            Publish…
          </Button>
        )}
        {mayEdit && (
          <Button variant="subtle" loading={busy} onClick={() => void decline()}>
            Decline
          </Button>
        )}
      </div>
    </section>
  );
}
