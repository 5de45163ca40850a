import { ActionIcon, Checkbox, VisuallyHidden } from '@mantine/core';
import { type PointerEvent, useLayoutEffect, useRef, useState } from 'react';
import type { HomeCard } from '../../graphql/schema.gen';
import { Icon } from '../../ui/Icon';
import styles from './Arrange.module.css';
import { cardNames, moved, type Offered } from './cards';

type Props = { offered: readonly Offered[]; change: (offered: Offered[]) => void };

/** The cards in their order: dragged by the grip, or moved by buttons. */
export function ArrangeList({ offered, change }: Props) {
  const list = useRef<HTMLUListElement>(null);
  const [dragged, setDragged] = useState<HomeCard>();
  const [said, setSaid] = useState('');
  const pressed = useRef<HTMLElement>(null);
  // A row that changes its place in the document loses the focus.
  useLayoutEffect(() => {
    if (offered.length > 0) pressed.current?.focus();
    pressed.current = null;
  }, [offered]);
  const move = (from: number, to: number) => {
    if (from === to || to < 0 || to >= offered.length) return;
    change(moved(offered, from, to));
    setSaid(`${cardNames[offered[from]!.card].name}: ${to + 1} of ${offered.length}`);
  };
  const drag = (event: PointerEvent) => {
    if (!dragged) return;
    const rows = [...list.current!.children].map((row) => row.getBoundingClientRect());
    const over = rows.findIndex(({ bottom }) => event.clientY < bottom);
    move(
      offered.findIndex(({ card }) => card === dragged),
      over < 0 ? rows.length - 1 : over,
    );
  };
  return (
    <>
      <ul ref={list} className={styles.cards}>
        {offered.map(({ card, shown }, i) => {
          const { name, shows } = cardNames[card];
          const button = (word: 'up' | 'down', to: number) => (
            <ActionIcon
              variant="subtle"
              color="gray"
              size={28}
              aria-label={`Move ${name} ${word}`}
              aria-disabled={to < 0 || to >= offered.length}
              onClick={(event) => {
                pressed.current = event.currentTarget;
                move(i, to);
              }}
            >
              <Icon name={word} />
            </ActionIcon>
          );
          return (
            <li key={card} data-shown={shown || undefined} data-dragged={card === dragged || undefined}>
              <span
                className={styles.grip}
                aria-hidden="true"
                onPointerDown={(event) => {
                  event.currentTarget.setPointerCapture(event.pointerId);
                  setDragged(card);
                }}
                onPointerMove={drag}
                onLostPointerCapture={() => setDragged(undefined)}
              >
                <Icon name="grip" />
              </span>
              <Checkbox
                label={name}
                description={shows}
                checked={shown}
                onChange={() => change(offered.map((other) => (other.card === card ? { card, shown: !shown } : other)))}
              />
              {button('up', i - 1)}
              {button('down', i + 1)}
            </li>
          );
        })}
      </ul>
      <VisuallyHidden aria-live="polite">{said}</VisuallyHidden>
    </>
  );
}
