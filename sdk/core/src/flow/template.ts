import type { FlowManifest, Layer } from '../manifest/types';
import { childLayers, findChoiceLayer } from './layers';
import { localize, type TextLocale } from './locale';
import { own } from './record';
import type { StoredResponses } from './responses';

export interface TemplateContext {
  manifest: FlowManifest;
  responses: StoredResponses;
  /** Host values for `{{ custom.key }}`. */
  customProperties?: Readonly<Record<string, string>>;
  locale: string;
}

const FIELD_KEY = /^[a-z][a-z0-9_]*$/;
const DEFAULT_FILTER = /^default\s*:\s*([\s\S]*)$/i;

/** Renders `{{ … }}` in the text of a text layer (runtime.md §4). No escaping and no recursion. */
export function renderTemplate(text: string, context: TemplateContext): string {
  let out = '';
  let from = 0;
  for (;;) {
    const open = text.indexOf('{{', from);
    if (open < 0) return out + text.slice(from);
    const close = text.indexOf('}}', open + 2);
    if (close < 0) return out + text.slice(from);
    out += text.slice(from, open) + renderToken(text.slice(open + 2, close), context);
    from = close + 2;
  }
}

function renderToken(token: string, context: TemplateContext): string {
  const bar = token.indexOf('|');
  const path = (bar < 0 ? token : token.slice(0, bar)).trim();
  const value = pathValue(path, context);
  if (value !== '' || bar < 0) return value;
  const filter = DEFAULT_FILTER.exec(token.slice(bar + 1).trim());
  return filter ? unquote((filter[1] ?? '').trim()) : '';
}

function unquote(word: string): string {
  const quoted = /^"([\s\S]*)"$/.exec(word) ?? /^'([\s\S]*)'$/.exec(word);
  return quoted ? (quoted[1] ?? '') : word;
}

function pathValue(path: string, context: TemplateContext): string {
  const dot = path.indexOf('.');
  const head = dot < 0 ? path : path.slice(0, dot);
  const tail = dot < 0 ? null : path.slice(dot + 1);
  if (head === 'custom' && tail !== null) {
    return FIELD_KEY.test(tail) ? (own(context.customProperties, tail) ?? '') : '';
  }
  if (!FIELD_KEY.test(head)) return '';
  if (tail === 'id') return choiceIds(head, context).join(', ');
  return tail === null ? fieldValue(head, context) : '';
}

function choiceIds(fieldKey: string, context: TemplateContext): readonly string[] {
  const response = own(context.responses, fieldKey);
  if (response?.kind === 'choice') return [response.choiceId];
  return response?.kind === 'multiChoice' ? response.choiceIds : [];
}

function fieldValue(fieldKey: string, context: TemplateContext): string {
  const response = own(context.responses, fieldKey);
  switch (response?.kind) {
    case 'choice':
    case 'multiChoice':
      return choiceIds(fieldKey, context)
        .map((id) => choiceLabel(fieldKey, id, context))
        .join(', ');
    case 'text':
    case 'wheel':
    case 'date_time':
    case 'phone':
      return response.value;
    case 'scale':
    case 'number_stepper':
    case 'checkbox':
      return String(response.value);
    case 'address': {
      const { line1, city, postalCode, country } = response.value;
      return [line1, city, postalCode, country].filter((part) => part !== '').join(', ');
    }
    default:
      return '';
  }
}

/** Label of an option: the first text layer below it, localised; the id when there is none. */
function choiceLabel(fieldKey: string, optionId: string, context: TemplateContext): string {
  const layer = findChoiceLayer(context.manifest, fieldKey);
  const rootId = layer?.optionBindings.find((binding) => binding.optionId === optionId)?.rootLayerId;
  const root = layer?.children.find((child) => child.id === rootId);
  return (root && firstText(root, context)) ?? optionId;
}

/** The first text layer of a subtree, depth first, localised. */
export function firstText(layer: Layer, locale: TextLocale): string | undefined {
  if (layer.kind === 'text') return localize(layer.text, locale);
  for (const child of childLayers(layer)) {
    const found = firstText(child, locale);
    if (found !== undefined) return found;
  }
  return undefined;
}
