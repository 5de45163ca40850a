import { Select } from '@mantine/core';
import { findFontFamily, fontFileForWeight, fontFiles, logicalFontFamily } from '@svc/core/internal';
import { useState } from 'react';
import { useFont } from '../../../media/useFont';
import { useEditing } from '../../useEditor';
import styles from './FontInput.module.css';

type Props = {
  id: string;
  value: string | undefined;
  /** What no value means. */
  none: string;
  change: (value: string | undefined) => void;
};

type Branding = NonNullable<Parameters<typeof findFontFamily>[0]>;

const standard = '';

/** The family of letters: one of the branding, each drawn in itself, or any other by its name. */
export function FontInput({ id, value = standard, none, change }: Props) {
  const branding = useEditing().library.branding as Branding | undefined;
  const [search, setSearch] = useState('');
  const face = useFace(value);
  const families = branding?.fontFamilies?.map(({ name }) => name) ?? [];
  const typed = search.trim().slice(0, 128);
  const others = [value, typed].filter((name) => name && name !== none && !families.includes(name));
  return (
    <Select
      id={id}
      size="xs"
      variant="filled"
      searchable
      allowDeselect={false}
      value={value}
      searchValue={search}
      onSearchChange={setSearch}
      onChange={(name) => change(name || undefined)}
      data={[{ value: standard, label: none }, ...new Set([...families, ...others])]}
      maxDropdownHeight={280}
      comboboxProps={{ width: 240, position: 'bottom-end', withinPortal: false }}
      classNames={{ input: styles.input }}
      styles={{ input: { fontFamily: face } }}
      renderOption={({ option }) => <Name name={option.value} none={none} known={families.includes(option.value)} />}
    />
  );
}

/** A family, its name drawn in it. */
function Name({ name, none, known }: { name: string; none: string; known: boolean }) {
  const face = useFace(name);
  if (name === standard) return none;
  return (
    <span className={styles.name}>
      <span style={{ fontFamily: face }}>{name}</span>
      {!known && <small>not in the branding</small>}
    </span>
  );
}

/** What letters of a family are drawn in on this page: its regular style once it is loaded, or the device's font of that
 * name. */
function useFace(name: string): string | undefined {
  const { paths, branding } = useEditing().library;
  const family = findFontFamily(branding as Branding | undefined, name);
  const file = family && fontFileForWeight(fontFiles(family, paths), 400);
  const loaded = useFont(file?.url);
  return loaded ?? (logicalFontFamily(name, undefined) === null ? undefined : name);
}
