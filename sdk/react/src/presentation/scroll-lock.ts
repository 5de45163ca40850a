let locks = 0;
let restore = () => {};

/** Keeps the page from scrolling below what is presented. Returns the release; the last one counts. */
export function lockScroll(): () => void {
  locks += 1;
  if (locks === 1) {
    const root = document.documentElement;
    const { overflow, scrollbarGutter } = root.style;
    // Where a bar takes room its room stays, or the page would jump.
    if (window.innerWidth > root.clientWidth) root.style.scrollbarGutter = 'stable';
    root.style.overflow = 'hidden';
    restore = () => Object.assign(root.style, { overflow, scrollbarGutter });
  }
  return () => {
    locks -= 1;
    if (locks === 0) restore();
  };
}
