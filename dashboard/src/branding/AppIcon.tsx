import { Button, FileButton } from '@mantine/core';
import { may, type WorkspaceAccess } from '../app/session/session';
import { upload } from '../media/queries';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Branding.module.css';
import type { PartProps } from './BrandingPage';

/** The icon of the app, as a picture of the library. */
export function AppIcon({ brand, change, editable, access }: PartProps & { access: WorkspaceAccess }) {
  const { busy, problem, run } = useAct();
  const choose = (file: File | null) =>
    void run(async () => {
      if (!file) return;
      const { path } = await upload(access.workspace.id, file);
      change({ appIcon: { url: `${location.origin}${path}`, source: 'upload' } });
    });
  return (
    <section className={styles.part}>
      <h3>Icon</h3>
      <div className={styles.row}>
        {brand.appIcon ? (
          <img className={styles.icon} src={pathOf(brand.appIcon.url)} alt="App icon" />
        ) : (
          <p>No icon yet.</p>
        )}
        {editable && may(access, 'MEDIA_MANAGE') && (
          <FileButton onChange={choose} accept="image/png,image/jpeg,image/webp,image/svg+xml">
            {(props) => (
              <Button {...props} variant="default" loading={busy !== ''}>
                {brand.appIcon ? 'Replace icon' : 'Upload icon'}
              </Button>
            )}
          </FileButton>
        )}
        {editable && brand.appIcon && (
          <Button variant="subtle" onClick={() => change({ appIcon: undefined })}>
            Remove
          </Button>
        )}
      </div>
      <Problem text={problem} />
    </section>
  );
}

/** A file of the library by its path: the page may stand behind another host than the address that flows use. */
const pathOf = (url: string) => /\/media\/[^/]+$/.exec(url)?.[0] ?? url;
