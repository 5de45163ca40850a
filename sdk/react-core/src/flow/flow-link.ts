/** Parameter of a link that presents the flow of a channel. */
export const FLOW_LINK_PARAM = 'svc.channel';

const CHANNEL_ID = /^ch_(test|live)_[A-Za-z0-9_-]{1,64}$/;

/**
 * The channel that a link asks to present, from `?svc.channel=ch_…` of a web address or an app's own scheme; null
 * when it asks for none, or for something that is no channel.
 */
export function channelOfFlowLink(href: string): string | null {
  const query = /\?([^#]*)/.exec(href)?.[1] ?? '';
  for (const pair of query.split('&')) {
    const [name, value = ''] = pair.split('=').map(decode);
    if (name === FLOW_LINK_PARAM) return CHANNEL_ID.test(value) ? value : null;
  }
  return null;
}

function decode(text: string): string {
  try {
    return decodeURIComponent(text.replace(/\+/g, ' '));
  } catch {
    return '';
  }
}
