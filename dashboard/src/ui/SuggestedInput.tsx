import { type ComponentProps, useId } from 'react';

type Props = Omit<ComponentProps<'input'>, 'list' | 'onChange' | 'value'> & {
  value: string;
  suggestions: readonly string[];
  change: (value: string) => void;
};

/** A text that may be anything, with what exists to choose from. */
export function SuggestedInput({ suggestions, change, ...input }: Props) {
  const id = useId();
  return (
    <>
      <input {...input} list={id} spellCheck={false} onChange={({ target }) => change(target.value)} />
      <datalist id={id}>
        {suggestions.map((suggestion) => (
          <option key={suggestion} value={suggestion} />
        ))}
      </datalist>
    </>
  );
}
