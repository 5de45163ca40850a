/** Parameter of a link that presents the flow of a channel. */
export const FLOW_LINK_PARAM = 'svc.channel';

const CHANNEL_ID = /^ch_(test|live)_[A-Za-z0-9_-]{1,64}$/;

/** Parameter of a link that presents a draft or a version before anybody is served it. */
export const PREVIEW_LINK_PARAM = 'svc.preview';

const PREVIEW_TOKEN = /^[A-Za-z0-9_.-]{1,1000}$/;

/**
 * The channel that a link asks to present, from `?svc.channel=ch_…` of a web address or an app's own scheme; null
 * when it asks for none, or for something that is no channel.
 */
export function channelOfFlowLink(href: string): string | null {
  return parameterOf(href, FLOW_LINK_PARAM, CHANNEL_ID);
}

/**
 * The token of a preview link, from `?svc.preview=…` of a web address or an app's own scheme: for `preview` of
 * {@link useFlow}. Null when it has none, or something that is none.
 */
export function previewOfFlowLink(href: string): string | null {
  return parameterOf(href, PREVIEW_LINK_PARAM, PREVIEW_TOKEN);
}

function parameterOf(href: string, wanted: string, form: RegExp): string | null {
  const query = /^[^?#]*\?([^#]*)/.exec(href)?.[1] ?? '';
  for (const pair of query.split('&')) {
    const [name, value = ''] = pair.split('=').map(decode);
    if (name === wanted) return form.test(value) ? value : null;
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
