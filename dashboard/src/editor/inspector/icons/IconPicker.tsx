import { type KeyboardEvent, useDeferredValue, useEffect, useRef, useState } from 'react';
import { SegmentedControl } from '../../../ui/SegmentedControl';
import line from '../Inspector.module.css';
import { Glyph } from './Glyph';
import styles from './Icons.module.css';
import { type Look, lookOf, looks, subjectOf } from './names';

type Props = { value: string; choose: (name: string) => void };

type Found = { icons: ReadonlyMap<string, string>; find: typeof import('./find').findIcons };

/** As many as the grid of Icons.module.css has. */
const columns = 7;

/** How far a key goes in the grid. */
const steps: Record<string, number> = { ArrowRight: 1, ArrowLeft: -1, ArrowDown: columns, ArrowUp: -columns };
const ends: Record<string, number> = { Home: -1e4, End: 1e4 };

/** All icons of a look, found by what they are called or mean. */
export function IconPicker({ value, choose }: Props) {
  const [query, setQuery] = useState('');
  const [look, setLook] = useState<Look>(lookOf(value || '-outline'));
  const [found, setFound] = useState<Found | 'failed'>();
  const grid = useRef<HTMLDivElement>(null);
  const typed = useDeferredValue(query);
  useEffect(() => {
    let current = true;
    import('./all')
      .then(async ({ allIcons, findIcons }) => ({ icons: await allIcons(), find: findIcons }))
      .catch(() => 'failed' as const)
      .then((found) => current && setFound(found));
    return () => {
      current = false;
    };
  }, []);
  useEffect(() => {
    if (found) grid.current?.querySelector('[aria-selected="true"]')?.scrollIntoView({ block: 'center' });
  }, [found]);
  if (found === 'failed') return <p role="alert">The icons could not be loaded. Close this and open it again.</p>;
  const names = found ? found.find([...found.icons.keys()], look, typed) : [];
  const first = names.includes(value) ? value : names[0];
  const goTo = (index: number) =>
    (grid.current?.children[Math.max(0, Math.min(index, names.length - 1))] as HTMLElement | undefined)?.focus();
  const onKeyDown = (event: KeyboardEvent) => {
    const at = [...grid.current!.children].indexOf(document.activeElement!);
    const step = steps[event.key] ?? ends[event.key];
    if (step === undefined) return;
    event.preventDefault();
    if (at + step < 0 && event.key === 'ArrowUp') event.currentTarget.parentElement?.querySelector('input')?.focus();
    else goTo(at + step);
  };
  return (
    <>
      <input
        type="search"
        className={line.line}
        aria-label="Search icons"
        placeholder="Search, for example workout"
        value={query}
        data-autofocus
        onChange={({ target }) => setQuery(target.value)}
        onKeyDown={(event) => {
          if (event.key === 'ArrowDown') event.preventDefault();
          if (event.key === 'ArrowDown') goTo(0);
          if (event.key === 'Enter' && names[0]) choose(names[0]);
        }}
      />
      <SegmentedControl
        size="xs"
        fullWidth
        aria-label="Look"
        value={look}
        onChange={(to) => setLook(to as Look)}
        data={looks.map((one) => ({ value: one, label: one[0]!.toUpperCase() + one.slice(1) }))}
      />
      <div ref={grid} role="listbox" aria-label="Icons" className={styles.grid} onKeyDown={onKeyDown}>
        {names.map((name) => (
          <button
            key={name}
            type="button"
            role="option"
            aria-label={subjectOf(name)}
            aria-selected={name === value}
            tabIndex={name === first ? 0 : -1}
            title={subjectOf(name)}
            onClick={() => choose(name)}
          >
            <Glyph inner={(found as Found).icons.get(name)} />
          </button>
        ))}
      </div>
      <p role="status" className={styles.count}>
        {!found ? 'Loading icons…' : names.length === 1 ? '1 icon' : `${names.length} icons`}
      </p>
    </>
  );
}
