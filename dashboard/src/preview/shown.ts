/** What a page tells the preview document to draw. The document says `ready` to its parent first. */
export type Shown = {
  /** A draft may be wrong in any way. */
  manifest: unknown;
  /** The id of a screen. */
  screen: string;
  locale?: string;
  theme: 'light' | 'dark';
  /** Addresses of media by asset id. */
  mediaMap: Readonly<Record<string, string>>;
  branding?: unknown;
  /** Ids of layers to outline; the first is scrolled to. */
  marks?: readonly string[];
};

export const ready = 'svc.preview.ready';
