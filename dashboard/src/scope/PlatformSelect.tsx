import { Select } from '@mantine/core';
import type { ScopeSearch } from './scope';
import { useView } from './useView';

/** Chooses the platform whose visitors reports count. */
export function PlatformSelect() {
  const { search, change } = useView();
  return (
    <Select
      size="xs"
      aria-label="Platform"
      w={124}
      value={search.platform ?? ''}
      onChange={(platform) => change({ platform: (platform || undefined) as ScopeSearch['platform'] })}
      allowDeselect={false}
      data={[
        { value: '', label: 'All platforms' },
        { value: 'web', label: 'Web' },
        { value: 'mobile', label: 'Apps' },
        { value: 'ios', label: 'iOS' },
        { value: 'android', label: 'Android' },
      ]}
    />
  );
}
