import { channelOfFlowLink, previewOfFlowLink } from '@svc/react-core';
import { expect, it } from 'vitest';

it.each([
  ['https://shop.example/plans?svc.channel=ch_live_paywall', 'ch_live_paywall'],
  ['shop://open?utm_source=mail&svc.channel=ch_test_win-back_2#top', 'ch_test_win-back_2'],
  ['https://shop.example/?svc%2Echannel=ch_live_paywall', 'ch_live_paywall'],
  ['https://shop.example/', null],
  ['https://shop.example/#?svc.channel=ch_live_paywall', null],
  ['https://shop.example/?svc.channel=ob_pk_live_key', null],
  ['https://shop.example/?svc.channel=ch_live_%3Cb%3E', null],
  ['https://shop.example/?svc.channel=%E0%A4%A', null],
  [`https://shop.example/?svc.channel=ch_live_${'a'.repeat(65)}`, null],
])('%s asks for %s', (href, channel) => expect(channelOfFlowLink(href)).toBe(channel));

it.each([
  ['https://shop.example/plans?svc.preview=AbC-_.9', 'AbC-_.9'],
  ['shop://open?svc.channel=ch_live_paywall&svc.preview=abc#top', 'abc'],
  ['https://shop.example/?svc.channel=ch_live_paywall', null],
  ['https://shop.example/?svc.preview=', null],
  ['https://shop.example/?svc.preview=%3Cb%3E', null],
  [`https://shop.example/?svc.preview=${'a'.repeat(1001)}`, null],
])('%s previews %s', (href, token) => expect(previewOfFlowLink(href)).toBe(token));
