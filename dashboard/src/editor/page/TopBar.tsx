import { ActionIcon, Button, Menu, Select } from '@mantine/core';
import { Link } from '@tanstack/react-router';
import { useMemo } from 'react';
import { Icon } from '../../ui/Icon';
import { SegmentedControl } from '../../ui/SegmentedControl';
import type { State } from '../canvas/states';
import type { SaveState } from '../document/editor';
import { localesIn } from '../locales';
import { Problems } from '../problems/Problems';
import { useEditing, useEditorValue, useNode } from '../useEditor';
import { allDevices, type Device, deviceCalled, isOwn } from './devices';
import styles from './Edit.module.css';
import { Others } from './Others';
import { OwnSize } from './OwnSize';
import { StateMenu } from './StateMenu';
import { type Mode, showsScreens } from './search';

const states: Record<SaveState, string> = {
  saved: 'Saved',
  saving: 'Saving…',
  offline: 'Offline',
  stopped: 'Not saved',
};

type Place = { app: string; environment: string; flow: string };

type Props = {
  name: string;
  place: Place;
  mode: Mode;
  setMode: (mode: Mode) => void;
  device: Device;
  setDevice: (device: Device) => void;
  setLocale: (locale: string) => void;
  setTheme: (theme: 'light' | 'dark') => void;
  /** What screens are drawn as. */
  state: State;
  setState: (state: State) => void;
  zoom: number | undefined;
  zoomTo: (to: 'all' | 'selection' | number) => void;
  goBack: (verb: 'undo' | 'redo') => void;
  /** Whether the preview is open. */
  previews: boolean;
  setPreviews: (previews: boolean) => void;
  openHistory: () => void;
};

/** The flow's name and where its edits are; how it is looked at; the way on. */
export function TopBar({
  name,
  place,
  mode,
  setMode,
  device,
  setDevice,
  setLocale,
  setTheme,
  state,
  setState,
  zoom,
  zoomTo,
  goBack,
  previews,
  setPreviews,
  openHistory,
}: Props) {
  const { canEdit, theme } = useEditing();
  return (
    <header className={styles.bar}>
      <Link
        to="/apps/$app/$environment/flows/$flow/versions"
        params={place}
        className={styles.back}
        aria-label="Back to the flow"
      >
        <Icon name="left" />
      </Link>
      <h1>{name}</h1>
      <Saved />
      {canEdit && <GoBack goBack={goBack} />}
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label="History"
        aria-haspopup="dialog"
        title="Changes to this draft"
        onClick={openHistory}
      >
        <Icon name="history" />
      </ActionIcon>
      <Others />
      <SegmentedControl
        size="xs"
        aria-label="Mode"
        value={mode}
        onChange={(value) => setMode(value as Mode)}
        data={[
          { value: 'design', label: 'Design' },
          { value: 'graph', label: 'Graph' },
          { value: 'translate', label: 'Translate' },
          { value: 'data', label: 'Data' },
        ]}
        className={styles.modes}
        data-mode={mode}
      />
      <span className={styles.looks} hidden={!showsScreens(mode)}>
        <Language setLocale={setLocale} />
        <SegmentedControl
          size="xs"
          aria-label="Theme"
          value={theme}
          onChange={(value) => setTheme(value as 'light' | 'dark')}
          data={[
            { value: 'light', label: 'Light' },
            { value: 'dark', label: 'Dark' },
          ]}
        />
        <span className={styles.looks} hidden={mode !== 'design'}>
          <Select
            aria-label="Device"
            size="xs"
            w={128}
            value={device.id}
            allowDeselect={false}
            onChange={(id) => setDevice(deviceCalled(id) ?? device)}
            data={allDevices().map(({ id, name }) => ({ value: id, label: name }))}
          />
          {isOwn(device) && <OwnSize size={device.size} setDevice={setDevice} />}
          <StateMenu state={state} setState={setState} />
          <Menu>
            <Menu.Target>
              <Button variant="subtle" color="gray" aria-label="Zoom" className={styles.zoom}>
                {zoom === undefined ? '–' : `${Math.round(zoom * 100)} %`}
              </Button>
            </Menu.Target>
            <Menu.Dropdown>
              <Menu.Item rightSection={<kbd>⌘0</kbd>} onClick={() => zoomTo(1)}>
                100 %
              </Menu.Item>
              <Menu.Item onClick={() => zoomTo(2)}>200 %</Menu.Item>
              <Menu.Item onClick={() => zoomTo(0.5)}>50 %</Menu.Item>
              <Menu.Item rightSection={<kbd>⌘1</kbd>} onClick={() => zoomTo('all')}>
                All screens
              </Menu.Item>
              <Menu.Item rightSection={<kbd>⌘2</kbd>} onClick={() => zoomTo('selection')}>
                Selection
              </Menu.Item>
            </Menu.Dropdown>
          </Menu>
        </span>
      </span>
      <Button
        variant="subtle"
        color="gray"
        className={styles.preview}
        leftSection={<Icon name="play" size={14} />}
        aria-label="Preview"
        aria-expanded={previews}
        title="Preview (P)"
        onClick={() => setPreviews(!previews)}
      >
        <span className={styles.word}>Preview</span>
      </Button>
      <Problems
        mode={mode}
        setMode={setMode}
        setLocale={setLocale}
        setDevice={(id) => setDevice(deviceCalled(id) ?? device)}
      />
      {canEdit && (
        <Button
          component={Link}
          to="/apps/$app/$environment/flows/$flow/versions"
          params={place as never}
          search={{ publish: 'draft' } as never}
          title="Publish (⌘↵)"
          aria-keyshortcuts="Control+Enter Meta+Enter"
          className={styles.publish}
        >
          Publish
        </Button>
      )}
    </header>
  );
}

/** Where the edits are. What each edit changes in the bar is a part of its own, so that the rest is not drawn anew. */
function Saved() {
  const { canEdit } = useEditing();
  const saved = useEditorValue(({ saveState }) => saveState);
  const kept = useEditorValue(({ isKept }) => (isKept ? ', kept in this browser' : ', leave this tab open'));
  const where = saved === 'offline' || saved === 'stopped' ? kept : '';
  return (
    <p role="status" className={styles.state} data-state={canEdit ? saved : 'reading'}>
      {canEdit ? states[saved] + where : 'View only'}
    </p>
  );
}

function GoBack({ goBack }: Pick<Props, 'goBack'>) {
  const undo = useEditorValue(({ canUndo }) => canUndo);
  const redo = useEditorValue(({ canRedo }) => canRedo);
  return (
    <>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={undo ? `Undo: ${undo}` : 'Undo'}
        title={undo ? `Undo: ${undo}` : 'Undo'}
        disabled={!undo}
        onClick={() => goBack('undo')}
      >
        <Arrow />
      </ActionIcon>
      <ActionIcon
        variant="subtle"
        color="gray"
        aria-label={redo ? `Redo: ${redo}` : 'Redo'}
        title={redo ? `Redo: ${redo}` : 'Redo'}
        disabled={!redo}
        onClick={() => goBack('redo')}
      >
        <Arrow mirrored />
      </ActionIcon>
    </>
  );
}

function Language({ setLocale }: Pick<Props, 'setLocale'>) {
  const { locale } = useEditing();
  const { locales: own, defaultLocale } = useNode('flow')!;
  const locales = useMemo(
    () => localesIn({ locales: own ?? null, defaultLocale: defaultLocale ?? null }),
    [own, defaultLocale],
  );
  if (locales.length < 2) return null;
  return (
    <Select
      aria-label="Language"
      size="xs"
      w={120}
      value={locale}
      allowDeselect={false}
      onChange={(value) => value && setLocale(value)}
      data={locales}
    />
  );
}

function Arrow({ mirrored }: { mirrored?: boolean }) {
  return (
    <svg width={16} height={16} viewBox="0 0 16 16" aria-hidden="true">
      <path
        d="M5.5 3 2.5 6l3 3M3 6h6.5a3.5 3.5 0 0 1 0 7H6"
        fill="none"
        stroke="currentColor"
        strokeWidth="1.5"
        strokeLinecap="round"
        strokeLinejoin="round"
        {...(mirrored && { transform: 'matrix(-1 0 0 1 16 0)' })}
      />
    </svg>
  );
}
