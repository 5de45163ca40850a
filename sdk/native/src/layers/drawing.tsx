import type { Fit } from '@svc/core';
import { useEffect, useState } from 'react';
import { loadSvg } from '../host/drawn-modules';

const ASPECT = { cover: 'xMidYMid slice', contain: 'xMidYMid meet', fill: 'none' } as const;

/** px */
export interface Size {
  width: number;
  height: number;
}

/** Whether an address is that of a drawing, which images on phones can't show. */
export function isDrawing(url: string): boolean {
  return /^data:image\/svg\+xml/i.test(url) || /\.svg$/i.test(url.split(/[?#]/)[0] ?? '');
}

/** The size that a drawing gives itself: by its attributes, else by what it shows of its plane; null for neither. */
export function drawingSize(xml: string): Size | null {
  const tag = /<svg\b[^>]*>/i.exec(xml)?.[0] ?? '';
  const attribute = (name: string) =>
    new RegExp(`\\s${name}\\s*=\\s*["']([^"']*)["']`, 'i').exec(tag)?.[1]?.trim() ?? '';
  const px = (name: string) => (/^[\d.]+(px)?$/.test(attribute(name)) ? Number.parseFloat(attribute(name)) : 0);
  const [, , viewWidth = 0, viewHeight = 0] = attribute('viewBox')
    .split(/[\s,]+/)
    .map(Number);
  const ratio = viewWidth > 0 && viewHeight > 0 ? viewWidth / viewHeight : 0;
  const width = px('width') || px('height') * ratio || viewWidth;
  const height = px('height') || (ratio > 0 ? width / ratio : 0);
  return width > 0 && height > 0 ? { width, height } : null;
}

/** The text of a drawing; null until it is there, and in a build that could not draw it. */
export function useDrawing(url: string | undefined): string | null {
  const [loaded, setLoaded] = useState<{ url: string; xml: string }>();
  useEffect(() => {
    const svg = url ? loadSvg() : null;
    if (!url || !svg) return undefined;
    let current = true;
    svg.fetchText(url).then(
      (xml) => current && xml && setLoaded({ url, xml }),
      () => undefined,
    );
    return () => {
      current = false;
    };
  }, [url]);
  return loaded && loaded.url === url ? loaded.xml : null;
}

/** A drawing that fills the box around it; nothing when it can't be read. */
export function Drawing({ xml, fit }: { xml: string; fit: Fit }) {
  const svg = loadSvg();
  if (!svg) return null;
  return (
    <svg.SvgXml xml={xml} width="100%" height="100%" preserveAspectRatio={ASPECT[fit]} onError={() => undefined} />
  );
}
