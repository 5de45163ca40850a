import { isObject } from '../../document/canonical';
import type { Json, JsonObject } from '../../document/operation';
import { wordsOf } from '../../labels';
import { ChoiceInput } from './ChoiceInput';

type Props = {
  id: string;
  /** The whole object, of which `by` tells the form. */
  value: Json | undefined;
  by: string;
  members: Readonly<Record<string, readonly string[]>>;
  required: boolean;
  /** What no value means. */
  none: string;
  change: (value: JsonObject | undefined) => void;
};

const words: Record<string, string> = {
  unspecified: 'Nothing yet',
  revenuecat: 'RevenueCat',
  headless: 'The app itself',
};

/** Which of several forms an object has. Another form keeps the members that it has too, but for a file: an image is no
 * video. */
export function VariantInput({ id, value, by, members, required, none, change }: Props) {
  const before = isObject(value) ? value : {};
  const now = before[by];
  const choose = (form: string | undefined) => {
    if (form === undefined) return change(undefined);
    const kept = members[form]!.filter((name) => name !== 'media' && before[name] !== undefined);
    change({ [by]: form, ...Object.fromEntries(kept.map((name) => [name, before[name]!])) });
  };
  return (
    <ChoiceInput
      id={id}
      value={typeof now === 'string' ? now : undefined}
      options={Object.keys(members).map((value) => ({ value, label: words[value] ?? wordsOf(value) }))}
      required={required}
      none={none}
      change={choose}
    />
  );
}
