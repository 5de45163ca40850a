import { countryName } from '../ui/format';
import type { Dimension } from './filters';

/** A dimension's value in words; the empty one has a name too. */
export function valueName(dimension: Dimension | 'city' | 'screen', value: string): string {
  if (value === '') return dimension === 'channel' ? 'Direct / none' : '(none)';
  if (dimension === 'country') return countryName(value);
  return value;
}
