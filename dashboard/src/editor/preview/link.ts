/** The address of an app with the token of a preview link in its query; undefined for what is no address yet. */
export function linkTo(address: string, token: string): string | undefined {
  const [, before = '', query, hash = ''] =
    /^([a-z][a-z0-9+.-]*:\/\/[^?#\s]*)(?:\?([^#\s]*))?(#\S*)?$/i.exec(address.trim()) ?? [];
  // A web address without a host leads nowhere.
  if (before === '' || /^https?:\/\/(\/|$)/i.test(before)) return undefined;
  return `${before}?${query ? `${query}&` : ''}svc.preview=${encodeURIComponent(token)}${hash}`;
}
