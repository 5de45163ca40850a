import { ActionIcon } from '@mantine/core';
import { type RefObject, useRef, useState } from 'react';
import { Icon } from '../../ui/Icon';
import { SegmentedControl } from '../../ui/SegmentedControl';
import { AddPanel } from '../add/AddPanel';
import type { Look } from '../canvas/Canvas';
import { LayerTree } from '../layers/LayerTree';
import { ScreenList } from '../layers/ScreenList';
import { useEditing, useSelection } from '../useEditor';
import styles from './Edit.module.css';
import { Splitter } from './Splitter';
import { useDue } from './useDue';
import { shares, type useLeft, widths } from './useLeft';

type Props = { look: Look; left: ReturnType<typeof useLeft> };

/** The screens, and the layers of the one that is selected or what can be added to it. */
export function Left({ look, left }: Props) {
  const column = useRef<HTMLElement>(null);
  const isDue = useDue();
  if (left.folded)
    return (
      <aside className={styles.folded} aria-label="Screens and layers">
        <ActionIcon
          variant="subtle"
          color="gray"
          aria-label="Show screens and layers"
          aria-expanded={false}
          title="Show screens and layers (⌘\\)"
          onClick={left.fold}
        >
          <Icon name="menu" size={14} />
        </ActionIcon>
      </aside>
    );
  return (
    <aside ref={column} className={styles.left} aria-label="Screens and layers">
      {isDue && <Lists look={look} left={left} column={column} />}
    </aside>
  );
}

function Lists({ look, left, column }: Props & { column: RefObject<HTMLElement | null> }) {
  const { canEdit, openMenu, carry } = useEditing();
  const { screen } = useSelection();
  const [tab, setTab] = useState<'layers' | 'add'>('layers');
  return (
    <>
      <ScreenList look={look} fold={left.fold} />
      <Splitter
        label="Height of the list of screens"
        axis="y"
        value={left.share}
        {...shares}
        unit="%"
        scale={() => 100 / column.current!.offsetHeight}
        change={left.setShare}
      />
      <section className={styles.panel}>
        {canEdit ? (
          <div
            className={styles.tabs}
            // What is dragged from one tab into the other opens it.
            onPointerMove={() => carry.isActive && setTab('layers')}
          >
            <SegmentedControl
              size="xs"
              aria-label="Layers or new ones"
              value={tab}
              onChange={(value) => setTab(value as 'layers' | 'add')}
              data={[
                { value: 'layers', label: 'Layers' },
                { value: 'add', label: 'Add' },
              ]}
              fullWidth
            />
            <ActionIcon
              variant="subtle"
              color="gray"
              aria-label="More for what is selected"
              aria-haspopup="menu"
              title="Copy, paste and more"
              disabled={!screen}
              onClick={({ currentTarget }) => {
                const { left, bottom } = currentTarget.getBoundingClientRect();
                openMenu({ x: left, y: bottom });
              }}
            >
              <Icon name="more" size={14} />
            </ActionIcon>
          </div>
        ) : (
          <h2>Layers</h2>
        )}
        {tab === 'add' ? (
          <AddPanel />
        ) : !screen ? (
          <p className={styles.none}>Select a screen.</p>
        ) : (
          <LayerTree key={screen} screen={screen} />
        )}
      </section>
      <Splitter
        label="Width of the column"
        axis="x"
        value={left.width}
        {...widths}
        unit="pixels"
        change={left.setWidth}
      />
    </>
  );
}
