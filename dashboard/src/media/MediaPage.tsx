import { Button, Drawer, FileButton } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { type DragEvent, useState } from 'react';
import { may } from '../app/session/session';
import { Empty } from '../ui/Empty';
import { Failure } from '../ui/Failure';
import { Problem } from '../ui/Problem';
import { SegmentedControl } from '../ui/SegmentedControl';
import { Waiting } from '../ui/Waiting';
import { FileDetail } from './FileDetail';
import { formatBytes, heaviness, types } from './files';
import styles from './Media.module.css';
import { Preview } from './Preview';
import { mediaQuery } from './queries';
import { useUpload } from './useUpload';

const appRoute = getRouteApi('/apps/$app/$environment');
const mediaRoute = getRouteApi('/apps/$app/$environment/media');

const accepted = Object.values(types)
  .flatMap(({ endings }) => endings.map((ending) => `.${ending}`))
  .join(',');

/** The files that flows and branding use: of the whole workspace. */
export function MediaPage() {
  const { type, file: open } = mediaRoute.useSearch();
  const { access } = appRoute.useRouteContext();
  const navigate = mediaRoute.useNavigate();
  const answer = useInfiniteQuery(mediaQuery(access.workspace.id));
  const editable = may(access, 'MEDIA_MANAGE');
  const { add, busy, problem } = useUpload(access.workspace.id, editable);
  const [over, setOver] = useState(false);
  const all = answer.data?.pages.flatMap(({ nodes }) => nodes);
  const rows = all?.filter((asset) => !type || asset.type.toLowerCase() === type);
  const shown = all?.find(({ id }) => id === open);
  const show = (file?: string) => void navigate({ search: (before) => ({ ...before, file }), resetScroll: false });
  const drag = (state: boolean) => (event: DragEvent) => {
    if (!editable || !event.dataTransfer.types.includes('Files')) return;
    event.preventDefault();
    setOver(state);
  };
  const choose = (
    <FileButton onChange={(files) => void add(files)} accept={accepted} multiple>
      {(props) => (
        <Button {...props} loading={busy !== ''}>
          Upload files
        </Button>
      )}
    </FileButton>
  );
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: dropping files is one way; the button and pasting are others
    <div
      className={styles.page}
      data-over={over || undefined}
      onDragOver={drag(true)}
      onDragLeave={drag(false)}
      onDrop={(event) => {
        drag(false)(event);
        void add([...event.dataTransfer.files]);
      }}
    >
      <div className={styles.head}>
        <h1>Media</h1>
        <SegmentedControl
          size="xs"
          aria-label="Type"
          value={type ?? ''}
          onChange={(value) =>
            void navigate({ search: (before) => ({ ...before, type: (value || undefined) as typeof type }) })
          }
          data={[
            { value: '', label: 'All' },
            ...Object.entries(types).map(([value, { name }]) => ({ value: value.toLowerCase(), label: name })),
          ]}
        />
        {editable && (rows?.length ?? 0) > 0 && choose}
      </div>
      <Problem text={problem} />
      {answer.isError && <Failure error={answer.error} retry={() => void answer.refetch()} />}
      {!rows && !answer.isError && <Waiting height={320} />}
      {rows?.length === 0 && (
        <Empty
          title={type ? `No ${types[type.toUpperCase() as keyof typeof types].name.toLowerCase()} yet` : 'No file yet'}
          why="Images, animations, videos and fonts for your flows. Drop files on this page, paste an image, or choose files."
          next={editable ? choose : <span>Ask an editor to upload files.</span>}
        />
      )}
      {rows && rows.length > 0 && (
        <ul className={styles.grid}>
          {rows.map((asset) => (
            <li key={asset.id}>
              <button type="button" className={styles.tile} onClick={() => show(asset.id)}>
                <span className={styles.picture}>
                  <Preview asset={asset} />
                </span>
                <span className={styles.name}>{asset.name}</span>
                <span
                  className={heaviness(asset.type, asset.sizeBytes, asset.contentType) ? styles.warn : styles.quiet}
                >
                  {formatBytes(asset.sizeBytes)}
                  {heaviness(asset.type, asset.sizeBytes, asset.contentType) && ', heavy'}
                </span>
              </button>
            </li>
          ))}
        </ul>
      )}
      {answer.hasNextPage && (
        <Button variant="default" loading={answer.isFetchingNextPage} onClick={() => void answer.fetchNextPage()}>
          Show older
        </Button>
      )}
      <Drawer
        opened={shown !== undefined}
        onClose={() => show()}
        title={shown?.name}
        size="md"
        closeButtonProps={{ 'aria-label': 'Close' }}
      >
        {shown && (
          <FileDetail
            key={shown.id}
            asset={shown}
            access={access}
            accepted={accepted}
            show={show}
            close={() => show()}
          />
        )}
      </Drawer>
    </div>
  );
}
