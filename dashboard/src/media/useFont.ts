import { useEffect, useState } from 'react';

/** Loads a font file; its family is its path. Undefined until it can be used, and while there is no file. */
export function useFont(path: string | undefined): string | undefined {
  const family = `library-${path?.replace(/\W+/g, '-')}`;
  const [loaded, setLoaded] = useState(false);
  useEffect(() => {
    if (path === undefined) return;
    const face = new FontFace(family, `url("${path}")`);
    let gone = false;
    face.load().then(
      () => {
        if (gone) return;
        document.fonts.add(face);
        setLoaded(true);
      },
      () => {}, // a broken file shows in the page's own font
    );
    return () => {
      gone = true;
      document.fonts.delete(face);
    };
  }, [family, path]);
  return loaded ? family : undefined;
}
