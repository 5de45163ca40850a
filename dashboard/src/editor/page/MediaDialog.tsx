import { Button, FileButton, Modal, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { type DragEvent, useState } from 'react';
import { may, type WorkspaceAccess } from '../../app/session/session';
import { formatBytes, types } from '../../media/files';
import { Preview } from '../../media/Preview';
import { mediaQuery } from '../../media/queries';
import { useUpload } from '../../media/useUpload';
import { Failure } from '../../ui/Failure';
import { Problem } from '../../ui/Problem';
import { useReturnFocus } from '../../ui/useReturnFocus';
import { Waiting } from '../../ui/Waiting';
import styles from './MediaDialog.module.css';

type Props = {
  type: 'IMAGE' | 'LOTTIE' | 'VIDEO';
  access: WorkspaceAccess;
  take: (id: string, path: string) => void;
  close: () => void;
};

const titles = { IMAGE: 'Choose an image', LOTTIE: 'Choose an animation', VIDEO: 'Choose a video' };

/** The files of one type in the library, one of which is taken; whoever may add to it uploads, drops or pastes one. */
export function MediaDialog({ type, access, take, close }: Props) {
  useReturnFocus();
  const workspace = access.workspace.id;
  const editable = may(access, 'MEDIA_MANAGE');
  const answer = useInfiniteQuery(mediaQuery(workspace));
  const [text, setText] = useState('');
  const { add, busy, problem } = useUpload(workspace, editable, ([first]) => take(first!.id, first!.path));
  const [other, setOther] = useState('');
  const upload = (files: readonly File[]) => {
    const [file] = files;
    if (!file) return;
    const fits = types[type].endings.some((ending) => file.name.toLowerCase().endsWith(`.${ending}`));
    setOther(fits ? '' : `${file.name} is none of ${types[type].endings.join(', ')}.`);
    if (fits) void add([file]);
  };
  const shown = answer.data?.pages
    .flatMap(({ nodes }) => nodes)
    .filter((asset) => asset.type === type && (asset.name ?? '').toLowerCase().includes(text.trim().toLowerCase()));
  const drop = (event: DragEvent) => {
    if (!event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    if (event.type === 'drop') upload([...event.dataTransfer.files]);
  };
  return (
    <Modal opened onClose={close} title={titles[type]} size="lg" closeButtonProps={{ 'aria-label': 'Close' }}>
      {/* biome-ignore lint/a11y/noStaticElementInteractions: dropping a file is one way; the button is another */}
      <div className={styles.dialog} onDragOver={drop} onDrop={drop}>
        <div className={styles.head}>
          <TextInput
            size="xs"
            aria-label="Search by name"
            placeholder="Search by name"
            data-autofocus
            value={text}
            onChange={({ target }) => setText(target.value)}
          />
          {editable && (
            <FileButton
              onChange={(file) => file && upload([file])}
              accept={types[type].endings.map((ending) => `.${ending}`).join(',')}
            >
              {(props) => (
                <Button {...props} size="xs" loading={busy !== ''}>
                  Upload
                </Button>
              )}
            </FileButton>
          )}
        </div>
        <Problem text={other || problem} />
        {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
        {!shown && !answer.isError && <Waiting height={240} />}
        {shown?.length === 0 && (
          <p className={styles.none}>
            {text.trim() === '' ? 'There is none in the library yet.' : 'None is called so.'}
            {editable && ' Upload one, or drop it here.'}
          </p>
        )}
        <ul className={styles.grid}>
          {shown?.map((asset) => (
            <li key={asset.id}>
              <button type="button" onClick={() => take(asset.id, asset.path)}>
                <span className={styles.picture}>
                  <Preview asset={asset} />
                </span>
                <span className={styles.name}>{asset.name}</span>
                <small>{formatBytes(asset.sizeBytes)}</small>
              </button>
            </li>
          ))}
        </ul>
        {answer.hasNextPage && (
          <Button
            variant="default"
            loading={answer.isFetchingNextPage}
            onClick={() => void answer.fetchNextPage()}
            className={styles.older}
          >
            Show older
          </Button>
        )}
      </div>
    </Modal>
  );
}
