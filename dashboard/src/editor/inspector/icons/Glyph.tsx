/** An icon as the renderers draw it, of the inside of its SVG. */
export function Glyph({ inner }: { inner: string | undefined }) {
  return (
    <svg
      aria-hidden="true"
      viewBox="0 0 512 512"
      width={18}
      height={18}
      fill="currentColor"
      // biome-ignore lint/security/noDangerouslySetInnerHtml: markup of the icon package, read at build time
      dangerouslySetInnerHTML={{ __html: inner ?? '' }}
    />
  );
}
