/** A readable name for somebody of whom only an id is known, as `Amber Heron 747a`: two words by the id, and its end,
 * which tells apart those who share the words. */
export function handleOf(id: string): string {
  const n = hash(id);
  const end = id.replace(/[^\p{L}\p{N}]/gu, '').slice(-4);
  return `${colors[n % colors.length]} ${animals[(n >>> 8) % animals.length]} ${end}`.trimEnd();
}

/** Whether an id is for machines: what an app names its users itself, people may know. */
export const isMachineId = (id: string): boolean => /^[0-9a-f]{8}-?([0-9a-f]{4}-?){3}[0-9a-f]{12}$/i.test(id);

/** What somebody is called of whom there is an id alone: as the app calls them, or by a handle. */
export const nameOfId = (id: string): string => (isMachineId(id) ? handleOf(id) : id);

/** Which of so many colors an id has. */
export const colorOf = (id: string, colors: number): number => (hash(id) >>> 16) % colors;

/** FNV-1a, 32 bits. */
function hash(text: string): number {
  let n = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) n = Math.imul(n ^ text.charCodeAt(i), 0x01000193);
  // The last characters move the low bits alone.
  n = Math.imul(n ^ (n >>> 15), 0x2c1b3c6d);
  return (n ^ (n >>> 13)) >>> 0;
}

/** One or two letters for an avatar. */
export function initialsOf(name: string): string {
  const words = name.split(/[\s@._-]+/u).filter((word) => /^\p{L}/u.test(word));
  return words
    .slice(0, 2)
    .map((word) => [...word][0]!.toLocaleUpperCase())
    .join('');
}

/** The flag of a country by its two letters; nothing where they are none. */
export const flagOf = (country: string): string =>
  /^[A-Z]{2}$/.test(country)
    ? String.fromCodePoint(...[...country].map((letter) => 0x1f1e6 + letter.charCodeAt(0) - 65))
    : '';

const colors =
  'Amber Azure Blue Bronze Cobalt Copper Coral Crimson Cyan Emerald Golden Gray Green Indigo Ivory Jade Lavender Lilac Lime Magenta Maroon Mint Navy Olive Orange Pearl Pink Plum Red Rose Ruby Rust Saffron Sage Sand Scarlet Silver Slate Teal Turquoise Umber Violet White Yellow'.split(
    ' ',
  );
const animals =
  'Badger Bear Beaver Bison Crane Deer Dove Duck Eagle Elk Falcon Ferret Finch Fox Gecko Goose Hare Hawk Hedgehog Heron Horse Ibis Jay Kestrel Koala Lark Lemur Lion Lynx Magpie Marten Mole Moose Newt Ocelot Orca Otter Owl Panda Penguin Pigeon Puffin Quail Rabbit Raccoon Raven Robin Salmon Seal Sparrow Stork Swan Swift Tapir Tern Tiger Toucan Turtle Vole Walrus Whale Wolf Wombat Wren'.split(
    ' ',
  );
