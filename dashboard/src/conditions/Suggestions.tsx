import { Button } from '@mantine/core';
import styles from './Suggestions.module.css';

type Props<T> = { suggestions: readonly T[]; nameOf: (suggestion: T) => string; take: (suggestion: T) => void };

/** What an app's events and pages suggest for a new goal or funnel, each taken by a click. */
export function Suggestions<T>({ suggestions, nameOf, take }: Props<T>) {
  if (suggestions.length === 0) return null;
  return (
    <fieldset className={styles.suggestions}>
      <legend>Suggestions</legend>
      {suggestions.map((suggestion) => (
        <Button key={JSON.stringify(suggestion)} size="compact-sm" variant="default" onClick={() => take(suggestion)}>
          {nameOf(suggestion)}
        </Button>
      ))}
    </fieldset>
  );
}
