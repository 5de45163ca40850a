import { countryName } from '../ui/format';

/** Values that the server stores as codes, in words; what an app or a device names itself is shown as it is. */
const words: Record<string, Record<string, string>> = {
  platform: { ios: 'iOS', android: 'Android', web: 'Web', mobile: 'Apps' },
  device: { mobile: 'Mobile', tablet: 'Tablet', desktop: 'Desktop' },
};

/** A dimension's value in words; the empty one has a name too. Takes a dimension as addresses or as the schema write it. */
export function valueName(dimension: string, value: string): string {
  const name = dimension.toLowerCase();
  if (value === '') return /channel$/.test(name) ? 'Direct / none' : '(none)';
  if (name === 'country') return countryName(value);
  return words[name]?.[value] ?? value;
}

/** What a line of facts about a session or a run says of where it was: only what is known. */
export function placeOf(at: { city?: string; country?: string; platform?: string; device?: string }): string[] {
  const facts = [
    at.city,
    at.country && countryName(at.country),
    at.platform && valueName('platform', at.platform),
    at.device && valueName('device', at.device),
  ];
  return facts.filter((fact): fact is string => Boolean(fact));
}
