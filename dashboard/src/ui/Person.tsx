import type { CSSProperties, ReactNode } from 'react';
import { drawsFlags } from './flags';
import { countryName } from './format';
import { colorOf, flagOf, initialsOf } from './handle';
import { Icon, type IconName } from './Icon';
import styles from './Person.module.css';

/** How many colors the theme has for series. */
const colors = 10;

/** A generated picture of somebody: always the same for an id. */
export function Avatar({ id, name, large }: { id: string; name: string; large?: boolean }) {
  const color = `var(--series-${colorOf(id, colors) + 1})`;
  return (
    <span
      className={styles.avatar}
      data-large={large || undefined}
      style={{ '--own': color } as CSSProperties}
      aria-hidden="true"
    >
      {initialsOf(name) || <Icon name="visitors" size={14} />}
    </span>
  );
}

type Props = { id: string; name: string; children: ReactNode; beside: ReactNode };

/** Somebody in a list: their picture, their name, and below it what is known of them. */
export function Person({ id, name, children, beside }: Props) {
  return (
    <span className={styles.person} title={id}>
      <Avatar id={id} name={name} />
      <span className={styles.words}>
        {children}
        <small>{beside}</small>
      </span>
    </span>
  );
}

/** The facts of a line, those that are known, with dots between them. */
export function Facts({ facts }: { facts: readonly ReactNode[] }) {
  return facts.filter(Boolean).map((fact, i) => (
    // biome-ignore lint/suspicious/noArrayIndexKey: facts have no ids, and keep their order
    <span key={i}>
      {i > 0 && ' · '}
      {fact}
    </span>
  ));
}

/** A country with its flag, or its code where the system draws no flags. */
export function Country({ code }: { code: string }) {
  const flag = flagOf(code);
  return (
    <>
      {flag && (
        <span className={drawsFlags() ? undefined : styles.code} aria-hidden="true">
          {drawsFlags() ? flag : code}
        </span>
      )}{' '}
      {countryName(code)}
    </>
  );
}

const icons: Record<string, IconName> = { desktop: 'devices', mobile: 'phone', tablet: 'tablet' };

/** What somebody holds: a picture of it before its name. */
export function Device({ kind, children }: { kind: string; children: ReactNode }) {
  const icon = icons[kind];
  return (
    <span className={styles.device}>
      {icon && <Icon name={icon} size={14} />} {children}
    </span>
  );
}
