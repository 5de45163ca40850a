import { Button, FileButton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { Failure, Waiting } from '../ui/Card';
import { ConfirmName } from '../ui/ConfirmName';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { When } from '../ui/When';
import { formatBytes, heaviness, refusal } from './files';
import styles from './Media.module.css';
import {
  type Asset,
  archiveDocument,
  mediaChanged,
  mediaRoute,
  renameDocument,
  replaceInDrafts,
  upload,
  usesQuery,
} from './media';
import { Preview } from './Preview';

type Props = { asset: Asset; access: WorkspaceAccess; accepted: string; close: () => void };

/** One file: how it looks, where it is used, and another one in its place. */
export function FileDetail({ asset, access, accepted, close }: Props) {
  const { id, name, type, contentType, sizeBytes, createdAt } = asset;
  const heavy = heaviness(type, sizeBytes, contentType);
  const editable = may(access, 'MEDIA_MANAGE');
  return (
    <div className={styles.detail}>
      <span className={`${styles.picture} ${styles.large}`}>
        <Preview asset={asset} plays />
      </span>
      <p className={styles.quiet}>
        {contentType}, {formatBytes(sizeBytes)}, since <When at={createdAt} />
      </p>
      {heavy && <p className={styles.warn}>{heavy}</p>}
      {editable && <Rename id={id} name={name} />}
      <Uses asset={asset} replaces={editable && may(access, 'FLOW_EDIT')} access={access} accepted={accepted} />
      {editable && (
        <ConfirmName
          act="Archive"
          name={name}
          change={async () => {
            await send(archiveDocument, { id });
            close();
            await mediaChanged();
          }}
        >
          It leaves the library. What names it goes on showing it.
        </ConfirmName>
      )}
    </div>
  );
}

function Rename({ id, name }: { id: string; name: string }) {
  const [typed, setTyped] = useState(name);
  const { busy, problem, run } = useAct();
  const submit = async (event: FormEvent) => {
    event.preventDefault();
    await run(async () => {
      await send(renameDocument, { id, name: typed });
      await mediaChanged();
    });
  };
  return (
    <form className={styles.form} onSubmit={submit}>
      <div className={styles.acts}>
        <TextInput
          label="Name"
          required
          maxLength={200}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <Button type="submit" variant="default" loading={busy !== ''} disabled={typed === name}>
          Rename
        </Button>
      </div>
      <Problem text={problem} />
    </form>
  );
}

function Uses({ asset, replaces, access, accepted }: Omit<Props, 'close'> & { replaces: boolean }) {
  const place = mediaRoute.useParams();
  const answer = useQuery(usesQuery(place.app, asset.id));
  const uses = answer.data?.data.app?.mediaUses;
  const { branding = false, flows = [] } = uses ?? {};
  const [replaced, setReplaced] = useState('');
  const { busy, problem, run } = useAct();
  const replace = (file: File | null) =>
    void run(async () => {
      if (!file) return;
      const refused = refusal(file);
      if (refused) return setReplaced(refused);
      const next = await upload(access.workspace.id, file);
      const drafts = await replaceInDrafts(flows, asset.id, next.id);
      setReplaced(`${next.name} stands in ${drafts} ${drafts === 1 ? 'draft' : 'drafts'} now. Publish to show it.`);
      await queryClient.invalidateQueries({ queryKey: ['MediaUses'] });
      await mediaChanged();
    });
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  if (!uses) return <Waiting rows={2} />;
  return (
    <section className={styles.form}>
      <h2>Where this app uses it</h2>
      {!branding && flows.length === 0 && <p className={styles.quiet}>Nowhere.</p>}
      <ul className={styles.uses}>
        {branding && <li>Branding</li>}
        {flows.map(({ flowId, name, draft, version }) => (
          <li key={flowId}>
            <Link to="/apps/$app/$environment/flows/$flow" params={{ ...place, flow: flowId }}>
              {name}
            </Link>
            : {[draft && 'draft', version !== null && `version ${version}`].filter(Boolean).join(', ')}
          </li>
        ))}
      </ul>
      {replaces && flows.some(({ draft }) => draft) && (
        <FileButton onChange={replace} accept={accepted}>
          {(props) => (
            <Button {...props} variant="default" loading={busy !== ''}>
              Replace in all drafts
            </Button>
          )}
        </FileButton>
      )}
      {replaced && <p role="status">{replaced}</p>}
      <Problem text={problem} />
    </section>
  );
}
