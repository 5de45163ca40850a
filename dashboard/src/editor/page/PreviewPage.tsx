import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { Carry } from '../carry';
import { LayerView } from '../layerView';
import { localesIn } from '../locales';
import { Playhead } from '../playhead';
import styles from '../preview/Preview.module.css';
import { Run, type Shows } from '../preview/Run';
import { Previewed } from '../previewed';
import { defaultLocaleOf } from '../text';
import { type Editing, EditingContext, useEditing, useNode } from '../useEditor';
import { allDevices, devices } from './devices';
import { NotOpen } from './NotOpen';
import { useDraftLook } from './useDraftLook';
import { type Opened, useSession } from './useSession';

const previewRoute = getRouteApi('/apps/$app/$environment/flows/$flow/preview');
const none = () => {};

/** Runs a flow's draft in a window of its own, and follows its edits as the drawer beside the editor does. */
export function PreviewPage() {
  const { flow } = previewRoute.useParams();
  const { opened, error, again } = useSession(flow, { announced: false });
  return opened ? <Opens key={flow} {...opened} /> : <NotOpen error={error} again={again} />;
}

function Opens({ session: { editor }, head }: Opened) {
  const search = previewRoute.useSearch();
  const [shows] = useState<Shows>(() => ({
    screen: search.screen ?? '',
    device: search.device ?? devices[0]!.id,
    platform: search.platform ?? 'ios',
    locale: search.locale ?? defaultLocaleOf(editor.document.flow),
    theme: search.theme ?? 'light',
  }));
  const { locale, theme } = shows;
  // Nothing is edited here: what runs only reads the document.
  const [editing] = useState<Editing>(() => ({
    ...{
      editor,
      canEdit: head.canEdit,
      locale,
      theme,
      carry: new Carry(),
      playhead: new Playhead(),
      previewed: new Previewed(),
      layerView: new LayerView(),
      spread: { current: undefined },
    },
    ...{ writing: undefined, naming: undefined, library: { paths: {}, branding: undefined, choose: none, add: none } },
    ...{
      breakpoint: undefined,
      setBreakpoint: none,
      forcing: undefined,
      force: none,
      write: none,
      name: none,
      reveal: none,
      openMenu: none,
      say: none,
    },
  }));
  return (
    <EditingContext value={editing}>
      <Runs name={head.name} begins={shows} />
    </EditingContext>
  );
}

function Runs({ name, begins }: { name: string; begins: Shows }) {
  const { flow: id } = previewRoute.useParams();
  const { app, access } = previewRoute.useRouteContext();
  const flow = useNode('flow')!;
  const look = useDraftLook(useEditing().editor, app.id, access.workspace.id);
  const drawn = useMemo(() => ({ mediaMap: look?.mediaMap ?? {}, branding: look?.branding }), [look]);
  const [details, setDetails] = useState(true);
  useEffect(() => {
    document.title = `Preview of ${name} · Svc`;
  }, [name]);
  return (
    <main className={styles.window}>
      <Run
        id={id}
        begins={begins}
        devices={allDevices()}
        locales={localesIn(flow)}
        look={drawn}
        details={details}
        setDetails={setDetails}
        unfolded
        leave={none}
        title={<h1>{name}</h1>}
      />
    </main>
  );
}
