/** The address when it is one that a flow may open: https with a host, or mailto. */
export function safeHref(href: string): string | undefined {
  const text = href.trim();
  if (/^mailto:[^\s]+$/i.test(text)) return text;
  return /^https:\/\/[^\s/?#]+/i.test(text) ? text : undefined;
}
