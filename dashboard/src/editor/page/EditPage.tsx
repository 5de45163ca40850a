import { getRouteApi } from '@tanstack/react-router';
import { lazy, Suspense, useCallback, useEffect, useMemo, useRef, useState } from 'react';
import { layerView as keptLayerView } from '../../app/session/storage';
import { Canvas } from '../canvas/Canvas';
import { WithMisfits } from '../canvas/overflow/WithMisfits';
import type { State } from '../canvas/states';
import { Carry } from '../carry';
import type { Asked } from '../components/useComponents';
import { WithComponents } from '../components/WithComponents';
import type { NodeId } from '../document/operation';
import { Inspector } from '../inspector/Inspector';
import type { Forcing } from '../layerStates';
import { LayerView } from '../layerView';
import { localesIn } from '../locales';
import { OthersContext } from '../others';
import { Playhead } from '../playhead';
import { Previewed } from '../previewed';
import { WithProblems } from '../problems/WithProblems';
import { defaultLocaleOf } from '../text';
import { EditingContext, type MenuPlace, type Editing as Shared } from '../useEditor';
import { allDevices, devices } from './devices';
import styles from './Edit.module.css';
import { EmptyFlow } from './EmptyFlow';
import { Heard } from './Heard';
import { LayerMenu } from './LayerMenu';
import { Left } from './Left';
import { Notices } from './Notices';
import { NotOpen } from './NotOpen';
import type { OverWhat } from './Over';
import { type Mode, showsScreens } from './search';
import { TopBar } from './TopBar';
import { useAddress } from './useAddress';
import { useClipboard } from './useClipboard';
import { useDevice } from './useDevice';
import { useDraftLook } from './useDraftLook';
import { useDue } from './useDue';
import { useEditorActs } from './useEditorActs';
import { useLeft } from './useLeft';
import { useLibrary } from './useLibrary';
import { useNotices } from './useNotices';
import { usePreviewWindow } from './usePreviewWindow';
import { type Opened, useSession } from './useSession';
import { useShortcuts } from './useShortcuts';
import { useView } from './useView';

const Graph = lazy(async () => ({ default: (await import('../graph/Graph')).Graph }));

const Translate = lazy(async () => ({ default: (await import('../translate/Translate')).Translate }));

const Data = lazy(async () => ({ default: (await import('../data/Data')).Data }));

const HistoryDialog = lazy(async () => ({ default: (await import('../history/HistoryDialog')).HistoryDialog }));

const Over = lazy(async () => ({ default: (await import('./Over')).Over }));

const Preview = lazy(async () => ({ default: (await import('../preview/Preview')).Preview }));

/** What texts are measured on: the phone that screens are drawn for, and what screens may differ on. */
const measured = devices.filter(({ id }) => ['phone', 'tablet', 'desktop'].includes(id));

const editRoute = getRouteApi('/apps/$app/$environment/flows/$flow/edit');

/** The visual editor of a flow's draft. */
export function EditPage() {
  const place = editRoute.useParams();
  const { opened, error, others, again } = useSession(place.flow);
  if (opened)
    return (
      <OthersContext value={others}>
        <Editing key={place.flow} {...opened} />
      </OthersContext>
    );
  return <NotOpen error={error} again={again} />;
}

function Editing({ session, head, point }: Opened) {
  const { editor } = session;
  const place = editRoute.useParams();
  const { app, access } = editRoute.useRouteContext();
  const { canEdit } = head;
  const look = useDraftLook(editor, app.id, access.workspace.id);
  const [wanted, setLocale] = useState<string>();
  const [theme, setTheme] = useState<'light' | 'dark'>('light');
  const [writing, write] = useState<NodeId>();
  const [naming, name] = useState<NodeId>();
  const { say, goBack, list } = useNotices(session);
  const { device, setDevice, breakpoint, setBreakpoint } = useDevice();
  const { flow } = editor.document;
  const locale = localesIn(flow).some(({ value }) => value === wanted) ? wanted! : defaultLocaleOf(flow);
  const { view, setView, onSize, zoomTo, reveal } = useView(editor, device.size);
  const { library, dialog } = useLibrary(look, app.id, access, editor, device.size, say);
  const [forcing, force] = useState<Forcing>();
  const [asked, ask] = useState<Asked>();
  const [menu, openMenu] = useState<MenuPlace>();
  const { mode = 'design' } = editRoute.useSearch();
  const clipboard = useClipboard({
    ...{ editor, canEdit, active: showsScreens(mode) && !dialog, say, reveal, add: library.add },
  });
  const [carry] = useState(() => new Carry());
  const [playhead] = useState(() => new Playhead());
  const [previewed] = useState(() => new Previewed());
  const [layerView] = useState(() => new LayerView(keptLayerView(place.flow)));
  useEffect(() => {
    editor.lockOf = (id) => layerView.lockOf(editor.document, id);
  }, [editor, layerView]);
  const spread = useRef<NonNullable<Shared['spread']['current']>>(undefined);
  const left = useLeft();
  const editing = useMemo<Shared>(
    () => ({
      ...{ editor, canEdit, locale, theme, writing, write, naming, name, reveal, openMenu, say, library, carry },
      ...{ forcing, force, breakpoint, setBreakpoint, playhead, layerView, previewed, spread },
    }),
    [
      editor,
      canEdit,
      locale,
      theme,
      writing,
      naming,
      reveal,
      say,
      library,
      carry,
      forcing,
      breakpoint,
      setBreakpoint,
      playhead,
      layerView,
      previewed,
    ],
  );
  useAddress(editor);
  const navigate = editRoute.useNavigate();
  const setMode = useCallback(
    (to: Mode) => void navigate({ search: (was) => ({ ...was, mode: to === 'design' ? undefined : to }) }),
    [navigate],
  );
  const open = useCallback(
    (screen: NodeId) => {
      editor.select({ screen });
      zoomTo('selection');
      setMode('design');
    },
    [editor, setMode, zoomTo],
  );
  const show = useCallback(
    (node: NodeId) => {
      editor.select({ nodes: [node] });
      zoomTo('selection');
      setMode(editor.selection.screen === null ? 'graph' : 'design');
    },
    [editor, setMode, zoomTo],
  );
  const find = useCallback(
    (layer: NodeId) => {
      editor.select({ nodes: [layer] });
      if (!showsScreens(mode)) setMode('design');
      if (editor.selection.screen !== null) reveal(editor.selection.screen);
    },
    [editor, mode, setMode, reveal],
  );
  const [state, setState] = useState<State>('opens');
  const [history, setHistory] = useState(false);
  const [previews, setPreviews] = useState(false);
  const preview = useCallback(() => setPreviews((was) => !was), []);
  const openWindow = usePreviewWindow(place);
  const publish = useCallback(
    () =>
      void navigate({
        to: '/apps/$app/$environment/flows/$flow/versions',
        params: place,
        search: { publish: 'draft' },
      }),
    [navigate, place],
  );
  const [over, setOver] = useState<OverWhat>();
  const openHistory = useCallback(() => setHistory(true), []);
  const keys = useShortcuts({
    ...{ editor, canEdit, mode, setMode, zoomTo, write, name, reveal, say, goBack, preview, publish, playhead },
    ...{ openOver: setOver, ask, layerView, spread, fold: left.fold },
  });
  const screens = useEditorActs({
    ...{ editor, canEdit, mode, setMode, keys, clipboard, say, reveal, openHistory },
  });
  const drawn = useMemo(() => ({ mediaMap: library.paths, branding: library.branding }), [library]);
  const onUndrawn = useCallback(() => {}, []);
  const isDue = useDue();
  return (
    <EditingContext value={editing}>
      <WithMisfits look={drawn} devices={measured}>
        <WithProblems flow={place.flow}>
          <WithComponents app={app.id} asked={asked} ask={ask}>
            <main className={styles.page} style={left.style}>
              <TopBar
                name={head.name}
                place={place}
                mode={mode}
                setMode={setMode}
                device={device}
                setDevice={setDevice}
                setLocale={setLocale}
                setTheme={setTheme}
                state={state}
                setState={setState}
                zoom={view?.zoom}
                zoomTo={zoomTo}
                goBack={goBack}
                previews={previews}
                setPreviews={setPreviews}
                openHistory={openHistory}
              />
              {showsScreens(mode) && <Left look={drawn} left={left} />}
              {mode === 'translate' ? (
                <Suspense fallback={<section className={styles.wide} aria-label="Translate" aria-busy="true" />}>
                  <Translate name={head.name} show={show} look={drawn} />
                </Suspense>
              ) : mode === 'data' ? (
                <Suspense fallback={<section className={styles.wide} aria-label="Data" aria-busy="true" />}>
                  <Data show={show} />
                </Suspense>
              ) : (
                <EmptyFlow place={place} graph={mode === 'graph'}>
                  {mode === 'graph' ? (
                    <Suspense fallback={<section aria-label="Graph" aria-busy="true" />}>
                      <Graph place={place} look={drawn} open={open} />
                    </Suspense>
                  ) : (
                    <Canvas
                      onPoint={point}
                      view={view}
                      setView={setView}
                      onSize={onSize}
                      device={device.size}
                      look={drawn}
                      state={state}
                      onUndrawn={onUndrawn}
                    />
                  )}
                </EmptyFlow>
              )}
              {dialog}
              {over && (
                <Suspense>
                  <Over key={over} is={over} close={() => setOver(undefined)} screens={screens} show={find} />
                </Suspense>
              )}
              {menu && <LayerMenu at={menu} close={() => openMenu(undefined)} clipboard={clipboard} />}
              {history && (
                <Suspense>
                  <HistoryDialog flow={place.flow} look={drawn} close={() => setHistory(false)} />
                </Suspense>
              )}
              <Notices list={list} />
              <Heard />
              {showsScreens(mode) && (
                <aside className={styles.right} aria-label="Properties">
                  {isDue && <Inspector />}
                </aside>
              )}
              {previews && (
                <Suspense>
                  <Preview
                    id={place.flow}
                    close={() => setPreviews(false)}
                    device={device.id}
                    devices={allDevices()}
                    locales={localesIn(flow)}
                    look={drawn}
                    openWindow={openWindow}
                  />
                </Suspense>
              )}
            </main>
          </WithComponents>
        </WithProblems>
      </WithMisfits>
    </EditingContext>
  );
}
