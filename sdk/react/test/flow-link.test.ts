import { channelOfFlowLink } from '@svc/react-core';
import { expect, it } from 'vitest';

it.each([
  ['https://shop.example/plans?svc.channel=ch_live_paywall', 'ch_live_paywall'],
  ['shop://open?utm_source=mail&svc.channel=ch_test_win-back_2#top', 'ch_test_win-back_2'],
  ['https://shop.example/?svc%2Echannel=ch_live_paywall', 'ch_live_paywall'],
  ['https://shop.example/', null],
  ['https://shop.example/#?svc.channel=', null],
  ['https://shop.example/?svc.channel=ob_pk_live_key', null],
  ['https://shop.example/?svc.channel=ch_live_%3Cb%3E', null],
  ['https://shop.example/?svc.channel=%E0%A4%A', null],
  [`https://shop.example/?svc.channel=ch_live_${'a'.repeat(65)}`, null],
])('%s asks for %s', (href, channel) => expect(channelOfFlowLink(href)).toBe(channel));
