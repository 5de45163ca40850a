import { TextInput } from '@mantine/core';
import { type KeyboardEvent, useEffect, useId, useMemo, useRef, useState } from 'react';
import type { Carried } from '../carry';
import { Picture } from '../components/Picture';
import { useComponents } from '../components/useComponents';
import { type Insertion, insert, type Spot } from '../document/commands/insert';
import type { Editor } from '../document/editor';
import type { Selection } from '../document/selection';
import { KindIcon } from '../KindIcon';
import { useEditing, useNode, useSelection } from '../useEditor';
import styles from './Add.module.css';
import type { Addition } from './addition';
import { blocks } from './blocks/blocks';
import { Drawing, isDrawn } from './blocks/Drawing';
import { componentGroup } from './components';
import { kinds } from './kinds';
import { searched } from './search';
import { type Finding, insertionAt, spotInWords, spotOf } from './spot';

/** Everything that can be added, by use (the WAI-ARIA combobox with a list: letters search, arrows walk, Enter adds). The
 * line below says where the one that is looked at would go, and where the last one went. */
export function AddPanel() {
  const { editor, say, carry } = useEditing();
  const selection = useSelection();
  const flow = useNode('flow');
  const { list: components, ask } = useComponents();
  const everything = useMemo(() => [...componentGroup(components ?? []), ...blocks, ...kinds], [components]);
  const [text, setText] = useState('');
  const [looked, setLooked] = useState<string>();
  const [went, setWent] = useState<{ words: string; selection: Selection }>();
  const list = useRef<HTMLDivElement>(null);
  const field = useRef<HTMLInputElement>(null);
  const prefix = useId();
  const groups = useMemo(() => searched(everything, text), [everything, text]);
  const all = groups.flatMap(({ additions }) => additions);
  // biome-ignore lint/correctness/useExhaustiveDependencies: where it goes depends on the selection and the flow
  const spots = useMemo(
    () => new Map(all.map((one) => [one.id, spotOf(editor, one)])),
    [editor, groups, selection, flow],
  );
  const active = all.find(({ id }) => id === looked) ?? all[0];
  const spot = active && spots.get(active.id);
  const last = went?.selection === selection ? went.words : undefined;

  useEffect(() => field.current?.focus(), []);

  const look = (to: Addition | undefined) => {
    if (!to) return;
    setLooked(to.id);
    setWent(undefined);
    list.current?.querySelector(`[data-addition="${to.id}"]`)?.scrollIntoView({ block: 'nearest' });
  };
  const add = (addition: Addition) => {
    const found = spotOf(editor, addition);
    setLooked(addition.id);
    if (typeof found === 'string') return say(`${addition.name} can't be added here. ${found}.`);
    put(addition, found.insertion, found.to);
  };
  const put = ({ name }: Addition, insertion: Insertion, to: Spot) => {
    const where = spotInWords(editor, to);
    const done = editor.run(insert, insertion);
    say(done);
    if (done === true) setWent({ words: `Added ${name} ${where}`, selection: editor.selection });
  };
  const carried = (addition: Addition): Carried => ({
    may(to) {
      const found = insertionAt(editor, addition, to);
      return typeof found === 'string' ? found : true;
    },
    drop(to) {
      const insertion = insertionAt(editor, addition, to);
      if (typeof insertion !== 'string') put(addition, insertion, to);
    },
    refuse: (why) => say(`${addition.name} was not added. ${why}.`),
  });
  const press = (event: KeyboardEvent) => {
    const at = active ? all.indexOf(active) : -1;
    const acts: Record<string, (() => void) | undefined> = {
      ArrowDown: () => look(all[at + 1]),
      ArrowUp: () => look(all[at - 1]),
      PageDown: () => look(all[Math.min(at + 8, all.length - 1)]),
      PageUp: () => look(all[Math.max(at - 8, 0)]),
      Enter: () => active && add(active),
      Escape: text ? () => setText('') : undefined,
    };
    const act = acts[event.key];
    if (!act || event.nativeEvent.isComposing) return;
    event.preventDefault();
    act();
  };

  return (
    <div className={styles.add}>
      <TextInput
        ref={field}
        className={styles.search}
        size="xs"
        type="search"
        role="combobox"
        aria-label="Search what to add"
        aria-expanded={true}
        aria-controls={`${prefix}-list`}
        aria-activedescendant={active && `${prefix}-${active.id}`}
        aria-describedby={`${prefix}-where`}
        placeholder="Search: button, picker, price…"
        value={text}
        onChange={({ target }) => {
          setText(target.value);
          setLooked(undefined);
          setWent(undefined);
        }}
        onKeyDown={press}
      />
      <div ref={list} role="listbox" id={`${prefix}-list`} aria-label="What can be added" className={styles.list}>
        {groups.map(({ name, additions }) => (
          // biome-ignore lint/a11y/useSemanticElements: a list box has groups, not fieldsets
          <div key={name} role="group" aria-label={name}>
            <p aria-hidden="true">{name}</p>
            {additions.map((one) => {
              const is = spots.get(one.id);
              return (
                <div
                  key={one.id}
                  id={`${prefix}-${one.id}`}
                  data-addition={one.id}
                  role="option"
                  aria-label={one.name}
                  aria-description={typeof is === 'string' ? `${one.what}. ${is}` : one.what}
                  aria-selected={one === active}
                  aria-disabled={typeof is === 'string'}
                  tabIndex={-1}
                  className={styles.option}
                  onPointerMove={() => one.id !== looked && look(one)}
                  onPointerDown={(event) => event.button === 0 && carry.press(event, carried(one))}
                  onClick={() => !carry.wasDrag && add(one)}
                  onKeyDown={press}
                >
                  {one.component ? (
                    <Picture tree={one.component.tree} />
                  ) : isDrawn(one.id) ? (
                    <Drawing block={one.id} />
                  ) : (
                    <KindIcon kind={one.kind} />
                  )}
                  <span>
                    {one.name}
                    <small>{one.what}</small>
                  </span>
                </div>
              );
            })}
          </div>
        ))}
      </div>
      {components && components.length > 0 && (
        <button type="button" className={styles.manage} onClick={() => ask({ is: 'all' })}>
          Manage components…
        </button>
      )}
      {all.length === 0 && <p className={styles.none}>Nothing is called “{text}”.</p>}
      <output id={`${prefix}-where`} className={styles.where} data-went={last ? true : undefined}>
        {last ?? (active && spot && hint(editor, active, spot))}
      </output>
    </div>
  );
}

/** Tells where an addition would go, and why not to the selection. */
function hint(editor: Editor, { name }: Addition, found: Finding | string): string {
  if (typeof found === 'string') return `${name}: ${found}`;
  const where = `${name} goes ${spotInWords(editor, found.to)}`;
  return found.instead ? `${found.instead}. ${where}` : where;
}
