import { Button, Checkbox, FileButton, Select, TextInput } from '@mantine/core';
import { useInfiniteQuery } from '@tanstack/react-query';
import { may, type WorkspaceAccess } from '../app/session/session';
import { mediaChanged, mediaQuery, upload } from '../media/queries';
import { useFont } from '../media/useFont';
import { Problem } from '../ui/Problem';
import { useAct } from '../ui/useAct';
import styles from './Branding.module.css';
import type { PartProps } from './BrandingPage';
import { type FontFamily, styleOf, withEntry } from './brand';

/** Fonts with their styles, each a file of the library. */
export function Fonts({ brand, change, editable, access }: PartProps & { access: WorkspaceAccess }) {
  const { fontFamilies: families } = brand;
  const library = useInfiniteQuery(mediaQuery(access.workspace.id));
  const paths = new Map(library.data?.pages.flatMap(({ nodes }) => nodes.map(({ id, path }) => [id, path] as const)));
  const set = (at: number, entry: FontFamily | undefined) => change({ fontFamilies: withEntry(families, at, entry) });
  return (
    <section className={styles.part}>
      <h3>Fonts</h3>
      {families.length === 0 && <p>No font yet: flows use the device’s font.</p>}
      <ul className={styles.rows}>
        {families.map((family, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a new family has no id yet
          <li key={i} className={styles.family}>
            <Family
              family={family}
              paths={paths}
              change={(entry) => set(i, entry)}
              workspace={access.workspace.id}
              editable={editable}
              uploads={editable && may(access, 'MEDIA_MANAGE')}
            />
          </li>
        ))}
      </ul>
      {editable && (
        <Button variant="default" onClick={() => change({ fontFamilies: [...families, { name: '', styles: [] }] })}>
          Add font
        </Button>
      )}
    </section>
  );
}

type FamilyProps = {
  family: FontFamily;
  paths: ReadonlyMap<string, string>;
  change: (family: FontFamily | undefined) => void;
  workspace: string;
  editable: boolean;
  uploads: boolean;
};

function Family({ family, paths, change, workspace, editable, uploads }: FamilyProps) {
  const { busy, problem, run } = useAct();
  const add = (files: File[]) =>
    void run(async () => {
      const added: FontFamily['styles'] = [];
      for (const file of files) {
        const { id } = await upload(workspace, file);
        added.push({ ...styleOf(file.name), mediaAssetId: id, filename: file.name });
      }
      await mediaChanged();
      change({ ...family, styles: [...family.styles, ...added] });
    });
  return (
    <>
      <div className={styles.row}>
        <TextInput
          aria-label="Name of the font"
          placeholder="Name, such as Inter"
          maxLength={60}
          required
          value={family.name}
          onChange={(event) => change({ ...family, name: event.target.value })}
        />
        {uploads && (
          <FileButton onChange={add} accept=".ttf,.otf,.woff,.woff2" multiple>
            {(props) => (
              <Button {...props} variant="default" loading={busy !== ''}>
                Upload styles
              </Button>
            )}
          </FileButton>
        )}
        {editable && (
          <Button variant="subtle" onClick={() => change(undefined)}>
            Remove
          </Button>
        )}
      </div>
      <Problem text={problem} />
      <ul className={styles.rows}>
        {family.styles.map((style, i) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a new style has no id yet
          <li key={i}>
            <Style
              style={style}
              path={paths.get(style.mediaAssetId ?? '')}
              editable={editable}
              change={(entry) => change({ ...family, styles: withEntry(family.styles, i, entry) })}
            />
          </li>
        ))}
      </ul>
    </>
  );
}

type FontStyle = FontFamily['styles'][number];
type StyleProps = {
  style: FontStyle;
  path: string | undefined;
  editable: boolean;
  change: (style: FontStyle | undefined) => void;
};

const names = ['Thin', 'Extra light', 'Light', 'Regular', 'Medium', 'Semibold', 'Bold', 'Extra bold', 'Black'];

function Style({ style, path, editable, change }: StyleProps) {
  return (
    <div className={styles.row}>
      {path ? (
        <Sample path={path} />
      ) : (
        <span className={styles.sample}>{style.filename || style.url || 'No file'}</span>
      )}
      <Select
        aria-label="Weight"
        w={150}
        allowDeselect={false}
        disabled={!editable}
        value={String(style.weight)}
        onChange={(value) => change({ ...style, weight: Number(value) })}
        data={names.map((name, i) => ({ value: String((i + 1) * 100), label: `${name} ${(i + 1) * 100}` }))}
      />
      <Checkbox
        label="Italic"
        checked={style.italic}
        onChange={(event) => change({ ...style, italic: event.currentTarget.checked })}
      />
      {editable && (
        <Button variant="subtle" onClick={() => change(undefined)}>
          Remove
        </Button>
      )}
    </div>
  );
}

function Sample({ path }: { path: string }) {
  const family = useFont(path);
  return (
    <span className={styles.sample} style={family ? { fontFamily: family } : undefined}>
      Grow something new
    </span>
  );
}
