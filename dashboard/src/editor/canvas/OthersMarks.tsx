import type { CSSProperties } from 'react';
import type { NodeId } from '../document/operation';
import { type Person, useOthers } from '../others';
import type { Box } from './board';
import styles from './Canvas.module.css';

type Props = { boxOf: (id: NodeId) => Box | undefined; boxOfScreen: (id: NodeId) => Box | undefined };

/** Outlines of what others have selected, in their color, with their name. */
export function OthersMarks({ boxOf, boxOfScreen }: Props) {
  return useOthers().map((person) => {
    const { client, screen, layers } = person;
    const boxes = layers.length > 0 ? layers.map(boxOf) : [screen === null ? undefined : boxOfScreen(screen)];
    return boxes.map((box, i) => box && <Outline key={`${client} ${layers[i]}`} person={person} box={box} />);
  });
}

function Outline({ person: { name, color }, box: { x: left, y: top, width, height } }: { person: Person; box: Box }) {
  const colors = { '--accent': color, '--on-accent': '#fff' } as CSSProperties;
  return (
    <div className={styles.box} data-other style={{ left, top, width, height, ...colors }}>
      <span className={styles.tag}>{name}</span>
    </div>
  );
}
