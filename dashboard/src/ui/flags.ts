let drawn: boolean | undefined;

/** Whether this system draws flags: some have no picture of them, others write the two letters. Flags have colors. */
export function drawsFlags(): boolean {
  drawn ??= hasColor('\u{1f1e9}\u{1f1ea}');
  return drawn;
}

function hasColor(text: string): boolean {
  const size = 16;
  const canvas = document.createElement('canvas');
  [canvas.width, canvas.height] = [size, size];
  const context = canvas.getContext('2d', { willReadFrequently: true });
  if (!context) return false;
  context.font = `${size - 2}px sans-serif`;
  context.fillText(text, 0, size - 3);
  const { data } = context.getImageData(0, 0, size, size);
  // Words may be smoothed in faint colors; a flag is of nothing else.
  let colored = 0;
  for (let i = 0; i < data.length; i += 4)
    if (
      data[i + 3]! > 128 &&
      Math.max(data[i]!, data[i + 1]!, data[i + 2]!) - Math.min(data[i]!, data[i + 1]!, data[i + 2]!) > 64
    )
      colored++;
  return colored > size;
}
