/** Reads a number or a sum of numbers as people type it: `24`, `390/3`, `(12 + 4) * 2`, `1,5`. Undefined where it is none. */
export function calculate(text: string): number | undefined {
  const tokens = text.replaceAll(',', '.').match(/\d+\.?\d*|\.\d+|[-+*/()]|\S/g) ?? [];
  let at = 0;
  const sum = (): number => {
    let value = product();
    while (tokens[at] === '+' || tokens[at] === '-')
      value = tokens[at++] === '+' ? value + product() : value - product();
    return value;
  };
  const product = (): number => {
    let value = factor();
    while (tokens[at] === '*' || tokens[at] === '/') value = tokens[at++] === '*' ? value * factor() : value / factor();
    return value;
  };
  const factor = (): number => {
    const token = tokens[at++];
    if (token === '-') return -factor();
    if (token === '(') {
      const value = sum();
      return tokens[at++] === ')' ? value : Number.NaN;
    }
    return token !== undefined && /^[\d.]/.test(token) ? Number(token) : Number.NaN;
  };
  const value = sum();
  return at === tokens.length && Number.isFinite(value) ? value : undefined;
}
