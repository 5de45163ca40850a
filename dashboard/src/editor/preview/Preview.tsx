import { ActionIcon, Button, SegmentedControl, Select } from '@mantine/core';
import { useFocusTrap, useMediaQuery, useMergedRef } from '@mantine/hooks';
import { useLayoutEffect, useMemo, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { nameOf } from '../names';
import { screensIn } from '../screens';
import { useEditing, useNode, useSelection } from '../useEditor';
import { Happenings } from './Happenings';
import { OnPhone } from './OnPhone';
import { Person, type Tells } from './Person';
import { Phone } from './Phone';
import styles from './Preview.module.css';
import type { Given, Platform } from './port';
import { useRun } from './useRun';

type Choice = { value: string; label: string };
type Device = { id: string; name: string; size: { width: number; height: number } };

type Props = {
  /** The id of the flow. */
  id: string;
  close: () => void;
  device: Device;
  devices: readonly Device[];
  locales: Choice[];
  look: Pick<Given, 'mediaMap' | 'branding'>;
};

const platforms: (Choice & { value: Platform })[] = [
  { value: 'ios', label: 'iOS' },
  { value: 'android', label: 'Android' },
  { value: 'web', label: 'Web' },
];
const themes = [
  { value: 'light', label: 'Light' },
  { value: 'dark', label: 'Dark' },
];
const first = '';
const nothingTold: Tells = { attributes: {}, permission: 'granted' };

/** Runs the draft by the SDK beside the editor; nothing of it is sent. It begins with the selected screen, and an edit shows
 * in it where it stands. */
export function Preview({ id, close, device: shown, devices, locales, look }: Props) {
  const { canEdit, locale: edited, theme: looked } = useEditing();
  const flow = useNode('flow')!;
  const { screen: selected } = useSelection();
  const screens = screensIn(flow);
  const [from, setFrom] = useState(() => (selected && selected !== flow.entryScreenId ? selected : first));
  const [wanted, setLocale] = useState(edited);
  const [theme, setTheme] = useState(looked);
  const [device, setDevice] = useState(shown);
  const [platform, setPlatform] = useState<Platform>('ios');
  const [tells, setTells] = useState(nothingTold);
  const locale = locales.some(({ value }) => value === wanted) ? wanted : locales[0]!.value;
  const given = useMemo<Given>(
    () => ({ flow, locale, theme, platform, ...tells, ...look }),
    [flow, locale, theme, platform, tells, look],
  );
  const frame = useRef<HTMLIFrameElement>(null);
  const { told, restart, onLoad } = useRun(frame, given, { from: from || null, leave: close });
  const begin = (at: string) => {
    setFrom(at);
    restart(at || null);
  };
  const isNarrow = useMediaQuery('(max-width: 900px)', undefined, { getInitialValueInEffect: false });
  const isWide = useMediaQuery('(min-width: 1360px)', undefined, { getInitialValueInEffect: false });
  const [details, setDetails] = useState(!!isWide);
  const head = useRef<HTMLHeadingElement>(null);
  const drawer = useRef<HTMLDivElement>(null);
  const ref = useMergedRef(drawer, useFocusTrap(!!isNarrow));
  useLayoutEffect(() => {
    const before = document.activeElement as HTMLElement | null;
    const own = drawer.current!;
    head.current?.focus();
    return () => {
      if (own.contains(document.activeElement)) before?.focus();
    };
  }, []);
  const starts = screens.map(({ id }) => String(id)).includes(from) ? from : first;
  return (
    <div
      ref={ref}
      className={styles.drawer}
      role="dialog"
      aria-modal={isNarrow || undefined}
      aria-label="Preview"
      data-details={details || undefined}
      onKeyDown={(event) => {
        const target = event.target as Element;
        // What is open in it is closed first.
        const isOwn = event.currentTarget.contains(target) && target.getAttribute('aria-expanded') !== 'true';
        if (event.key !== 'Escape' || event.defaultPrevented || !isOwn) return;
        event.preventDefault();
        close();
      }}
    >
      <header className={styles.head}>
        <h2 ref={head} tabIndex={-1} data-autofocus>
          Preview
        </h2>
        <Button variant="default" size="xs" onClick={() => begin(from)}>
          Restart
        </Button>
        <Button variant="default" size="xs" disabled={!selected} onClick={() => begin(selected!)}>
          From here
        </Button>
        <Button
          variant={details ? 'light' : 'default'}
          size="xs"
          aria-pressed={details}
          onClick={() => setDetails(!details)}
        >
          Details
        </Button>
        <ActionIcon variant="subtle" color="gray" aria-label="Close the preview" onClick={close}>
          <Icon name="close" />
        </ActionIcon>
      </header>
      <div className={styles.looks}>
        <Select
          aria-label="Begins with"
          size="xs"
          value={starts}
          allowDeselect={false}
          onChange={(at) => begin(at ?? first)}
          data={[
            { value: first, label: 'From the start' },
            ...screens
              .filter(({ id }) => id !== flow.entryScreenId)
              .map((object) => ({ value: String(object.id), label: `From “${nameOf(object, 'screen')}”` })),
          ]}
        />
        <Select
          aria-label="Device of the preview"
          size="xs"
          value={device.id}
          allowDeselect={false}
          onChange={(id) => setDevice(devices.find((one) => one.id === id) ?? device)}
          data={devices.map(({ id, name }) => ({ value: id, label: name }))}
        />
        <Select
          aria-label="Platform of the preview"
          size="xs"
          value={platform}
          allowDeselect={false}
          onChange={(value) => setPlatform(value as Platform)}
          data={platforms}
        />
        {locales.length > 1 && (
          <Select
            aria-label="Language of the preview"
            size="xs"
            value={locale}
            allowDeselect={false}
            onChange={(value) => value && setLocale(value)}
            data={locales}
          />
        )}
        <SegmentedControl
          aria-label="Theme of the preview"
          size="xs"
          value={theme}
          onChange={(value) => setTheme(value as 'light' | 'dark')}
          data={themes}
        />
        <Person tells={tells} setTells={setTells} />
        {canEdit && <OnPhone flow={id} />}
      </div>
      <p role="status" className={styles.said}>
        {told?.lost && 'The screen that was shown was deleted: the preview began again.'}
      </p>
      <div className={styles.both}>
        <Phone frame={frame} onLoad={onLoad} size={device.size} />
        {details && told && <Happenings told={told} />}
      </div>
    </div>
  );
}
