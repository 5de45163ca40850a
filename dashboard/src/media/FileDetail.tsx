import { Button, FileButton, TextInput } from '@mantine/core';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { type FormEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../app/session/session';
import { queryClient } from '../graphql/query';
import { send } from '../graphql/send';
import { ConfirmName } from '../ui/ConfirmName';
import { Failure } from '../ui/Failure';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import { Waiting } from '../ui/Waiting';
import { When } from '../ui/When';
import { Crop } from './Crop';
import { croppable } from './crop';
import { formatBytes, heaviness, refusal } from './files';
import styles from './Media.module.css';
import { Preview } from './Preview';
import {
  type Asset,
  archiveDocument,
  mediaChanged,
  renameDocument,
  replaceInBranding,
  replaceInDrafts,
  upload,
  usesQuery,
} from './queries';

const mediaRoute = getRouteApi('/apps/$app/$environment/media');

type Props = {
  asset: Asset;
  access: WorkspaceAccess;
  accepted: string;
  /** Opens another file. */
  show: (file: string) => void;
  close: () => void;
};

/** One file: how it looks, where it is used, and another one in its place. */
export function FileDetail({ asset, access, accepted, show, close }: Props) {
  const { id, name, type, contentType, sizeBytes, createdAt } = asset;
  const heavy = heaviness(type, sizeBytes, contentType);
  const editable = may(access, 'MEDIA_MANAGE');
  const replacing = useReplace(asset, access);
  const keep = async (part: File) => {
    const { id } = await upload(access.workspace.id, part);
    await mediaChanged();
    show(id);
  };
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
      {editable && croppable(contentType) && <Crop asset={asset} keep={keep} replace={replacing.replace} />}
      <Uses {...replacing} accepted={accepted} />
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
          It leaves the library. Flows that use it keep showing it.
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

/** Puts another file in the place of one: in the drafts of the app's flows, and in its branding for who may change it. */
function useReplace(asset: Asset, access: WorkspaceAccess) {
  const { app } = mediaRoute.useParams();
  const answer = useQuery(usesQuery(app, asset.id));
  const uses = answer.data?.data.app?.mediaUses;
  const [said, setSaid] = useState('');
  const drafts =
    may(access, 'MEDIA_MANAGE') && may(access, 'FLOW_EDIT') ? uses?.flows.filter(({ draft }) => draft) : [];
  const branding = may(access, 'MEDIA_MANAGE') && may(access, 'APP_SETTINGS') && uses?.branding;
  const replace = async (file: File) => {
    const refused = refusal(file);
    if (refused) return setSaid(refused);
    const next = await upload(access.workspace.id, file);
    const changed = await replaceInDrafts(drafts ?? [], asset.id, next.id);
    if (branding) await replaceInBranding(app, asset.id, next.id);
    setSaid(told(next.name, changed, Boolean(branding)));
    await queryClient.invalidateQueries({ queryKey: ['MediaUses'] });
    await mediaChanged();
  };
  const possible = Boolean(branding) || (drafts?.length ?? 0) > 0;
  return { answer, uses, said, replace: possible ? replace : undefined };
}

function told(name: string, drafts: number, branding: boolean): string {
  const places = [drafts > 0 && `${drafts} ${drafts === 1 ? 'draft' : 'drafts'}`, branding && 'the branding'];
  const publish = drafts > 0 ? ' Publish to show it.' : '';
  return `${name} stands in ${places.filter(Boolean).join(' and in ')} now.${publish}`;
}

type UsesProps = ReturnType<typeof useReplace> & { accepted: string };

function Uses({ answer, uses, said, replace, accepted }: UsesProps) {
  const place = mediaRoute.useParams();
  const { branding = false, flows = [] } = uses ?? {};
  const { busy, problem, run } = useAct();
  if (answer.isError) return <Failure error={answer.error} retry={() => void answer.refetch()} />;
  if (!uses) return <Waiting rows={2} />;
  return (
    <section className={styles.form}>
      <h2>Used in this app</h2>
      {!branding && flows.length === 0 && <p className={styles.quiet}>Not used anywhere.</p>}
      <ul className={styles.uses}>
        {branding && (
          <li>
            <Link to="/apps/$app/$environment/branding" params={place}>
              Branding
            </Link>
          </li>
        )}
        {flows.map(({ flowId, name, draft, version }) => (
          <li key={flowId}>
            <Link to="/apps/$app/$environment/flows/$flow" params={{ ...place, flow: flowId }}>
              {name}
            </Link>
            : {[draft && 'draft', version !== null && `version ${version}`].filter(Boolean).join(', ')}
          </li>
        ))}
      </ul>
      {replace && (
        <FileButton onChange={(file) => file && void run(() => replace(file))} accept={accepted}>
          {(props) => (
            <Button {...props} variant="default" loading={busy !== ''}>
              Replace everywhere
            </Button>
          )}
        </FileButton>
      )}
      {said && <p role="status">{said}</p>}
      <Problem text={problem} />
    </section>
  );
}
