import type { CSSProperties } from 'react';
import type { NodeId } from '../document/operation';
import { type Person, type PersonPointer, useOthers } from '../others';
import type { Box } from './board';
import marks from './Canvas.module.css';
import styles from './OthersMarks.module.css';

type Props = {
  boxOf: (id: NodeId) => Box | undefined;
  boxOfScreen: (id: NodeId) => Box | undefined;
  zoom: number;
};

/** Outlines of what others have selected and their pointers, in their color, with their name. */
export function OthersMarks({ boxOf, boxOfScreen, zoom }: Props) {
  return useOthers().map((person) => {
    const { client, screen, layers, pointer } = person;
    const boxes = layers.length > 0 ? layers.map(boxOf) : [screen === null ? undefined : boxOfScreen(screen)];
    const on = pointer && boxOfScreen(pointer.screen);
    return (
      <div key={client} className={styles.person} style={{ '--person': person.color } as CSSProperties}>
        {boxes.map((box, i) => box && <Outline key={layers[i] ?? screen} person={person} box={box} />)}
        {on && <Arrow person={person} pointer={pointer} on={on} zoom={zoom} />}
      </div>
    );
  });
}

function Outline({ person: { name }, box: { x: left, y: top, width, height } }: { person: Person; box: Box }) {
  return (
    <div className={marks.box} data-other style={{ left, top, width, height }}>
      <span className={`${marks.tag} ${styles.below}`}>{name}</span>
    </div>
  );
}

type ArrowProps = { person: Person; pointer: PersonPointer; on: Box; zoom: number };

function Arrow({ person, pointer, on, zoom }: ArrowProps) {
  const place = { translate: `${on.x + pointer.x * zoom}px ${on.y + pointer.y * zoom}px` };
  return (
    <div className={styles.pointer} data-person={person.name} style={place}>
      <svg width="16" height="18" viewBox="0 0 16 18" aria-hidden="true">
        <path d="M1.5 1.5 14 7.6 8.3 9.7 5.6 15.6z" />
      </svg>
      <span className={`${marks.tag} ${styles.beside}`}>{person.name}</span>
    </div>
  );
}
