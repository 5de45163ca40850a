import type { ParsedUrl } from '@svc/core';

const ADDRESS = /^([a-z][a-z0-9+.-]*:)(?:\/\/(?:[^/?#@]*@)?(\[[^\]/?#]*\]|[^/?#:]*)(:\d*)?)?([^?#]*)(\?[^#]*)?(#.*)?$/i;

/** Parts of an absolute URL; null when it is none. Hermes has no `URL` that could tell. */
export function parseUrl(text: string): ParsedUrl | null {
  const match = ADDRESS.exec(text.trim());
  if (!match) return null;
  const [, scheme = '', name = '', port = '', path = '', search = '', hash = ''] = match;
  const protocol = scheme.toLowerCase();
  const hostname = name.toLowerCase();
  const web = protocol === 'http:' || protocol === 'https:';
  if (web && (hostname === '' || /\s/.test(hostname))) return null;
  const standard = port === ':' || port === (protocol === 'https:' ? ':443' : protocol === 'http:' ? ':80' : '');
  return {
    protocol,
    hostname,
    host: standard ? hostname : hostname + port,
    pathname: path === '' && web ? '/' : path,
    search: search === '?' ? '' : search,
    hash: hash === '#' ? '' : hash,
  };
}
