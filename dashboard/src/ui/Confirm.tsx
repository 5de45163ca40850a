import { Button } from '@mantine/core';
import { useState } from 'react';

type Props = {
  /** What it does, in a word or two. */
  children: string;
  /** What it means; the second click says yes to it. */
  meaning: string;
  act: () => void;
  loading?: boolean;
};

/** A button for what can't be taken back: the first click says what it means. */
export function Confirm({ children, meaning, act, loading }: Props) {
  const [asked, setAsked] = useState(false);
  return (
    <Button
      variant="subtle"
      color="red"
      loading={loading}
      onBlur={() => setAsked(false)}
      onClick={() => {
        setAsked(!asked);
        if (asked) act();
      }}
    >
      {asked ? meaning : children}
    </Button>
  );
}
