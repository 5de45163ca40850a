import type { Layer, Screen, StackLayer } from '@svc/core';
import { MotionProvider } from '@svc/react-core';
import { act, createElement, type ReactElement } from 'react';
import { create, type ReactTestRendererJSON } from 'react-test-renderer';
import {
  Align,
  Direction,
  Display,
  Edge,
  FlexDirection,
  Gutter,
  Justify,
  type Node,
  Overflow,
  PositionType,
  Wrap,
  default as Yoga,
} from 'yoga-layout';
import { LayerRenderer, type LayerRendererProps } from '../../src/renderer/layer-renderer';
import { manifest, screen } from '../support/manifests';
import { StyleSheet } from './react-native';

/** Place of a box on the screen, px. */
export interface Place {
  x: number;
  y: number;
  width: number;
  height: number;
}

type Value = number | `${number}%` | 'auto' | undefined;
type Style = Record<string, Value> & { [key: string]: never };

const ALIGN: Record<string, Align> = {
  'flex-start': Align.FlexStart,
  center: Align.Center,
  'flex-end': Align.FlexEnd,
  stretch: Align.Stretch,
};
const JUSTIFY: Record<string, Justify> = {
  'flex-start': Justify.FlexStart,
  center: Justify.Center,
  'flex-end': Justify.FlexEnd,
  'space-between': Justify.SpaceBetween,
  'space-around': Justify.SpaceAround,
};
const EDGES: readonly [string, Edge][] = [
  ['Top', Edge.Top],
  ['Bottom', Edge.Bottom],
  ['Start', Edge.Start],
  ['End', Edge.End],
  ['Left', Edge.Left],
  ['Right', Edge.Right],
  ['Horizontal', Edge.Horizontal],
  ['Vertical', Edge.Vertical],
  ['', Edge.All],
];

function apply(node: Node, style: Style): void {
  const given = (key: string, set: (value: never) => void) => {
    if (style[key] !== undefined) set(style[key] as never);
  };
  given('width', (v) => node.setWidth(v));
  given('height', (v) => node.setHeight(v));
  given('minWidth', (v) => node.setMinWidth(v));
  given('maxWidth', (v) => node.setMaxWidth(v));
  given('minHeight', (v) => node.setMinHeight(v));
  given('maxHeight', (v) => node.setMaxHeight(v));
  given('aspectRatio', (v) => node.setAspectRatio(v));
  // React Native's `flex: 1` takes what is left, whatever the content is.
  given('flex', (v) => node.setFlex(v));
  given('flexGrow', (v) => node.setFlexGrow(v));
  given('flexShrink', (v) => node.setFlexShrink(v));
  given('flexBasis', (v) => node.setFlexBasis(v));
  given('gap', (v) => node.setGap(Gutter.All, v));
  given('alignItems', (v) => node.setAlignItems(ALIGN[v] as Align));
  given('alignSelf', (v) => node.setAlignSelf(ALIGN[v] as Align));
  given('justifyContent', (v) => node.setJustifyContent(JUSTIFY[v] as Justify));
  given('direction', (v) => node.setDirection(v === 'rtl' ? Direction.RTL : Direction.LTR));
  if (style.flexDirection === ('row' as never)) node.setFlexDirection(FlexDirection.Row);
  if (style.flexWrap === ('wrap' as never)) node.setFlexWrap(Wrap.Wrap);
  if (style.position === ('absolute' as never)) node.setPositionType(PositionType.Absolute);
  if (style.display === ('none' as never)) node.setDisplay(Display.None);
  for (const [name, edge] of EDGES) {
    given(`padding${name}`, (v) => node.setPadding(edge, v));
    given(`margin${name}`, (v) => node.setMargin(edge, v));
    given(`border${name}Width`, (v) => node.setBorder(edge, v));
    if (name) given(name.toLowerCase(), (v) => node.setPosition(edge, v));
  }
}

/** Width of a letter as a share of its height: all letters are alike here. */
const LETTER = 0.5;

/** Words that wrap between words, and within one that is longer than the line. */
function measureWords(words: string, fontSize: number, width: number): { width: number; height: number } {
  const room = Number.isNaN(width) ? Number.POSITIVE_INFINITY : Math.max(1, Math.floor(width / (fontSize * LETTER)));
  const lines: number[] = [0];
  for (const word of words.split(' ')) {
    const used = lines[lines.length - 1] as number;
    const length = used === 0 ? word.length : used + 1 + word.length;
    if (length <= room) lines[lines.length - 1] = length;
    else for (let left = word.length; left > 0; left -= room) lines.push(Math.min(left, room));
  }
  const full = lines.filter((length) => length > 0);
  return { width: Math.max(0, ...full) * fontSize * LETTER, height: full.length * fontSize };
}

/** Style of words as far as their size depends on it. */
export interface WordStyle {
  fontFamily?: string;
  fontSize?: number;
  fontWeight?: string;
  letterSpacing?: number;
  fontVariant?: string[];
  lineHeight?: number;
}

/** Says how much room words take where they may be so wide, px; NaN is as wide as they like. */
export type Measure = (words: string, style: WordStyle, width: number) => { width: number; height: number };

const alike: Measure = (words, { fontSize = 14 }, width) => measureWords(words, fontSize, width);

/** Stands for whatever is in a field. */
export const LINE_OF_A_FIELD = 'x';

interface Built {
  node: Node;
  id: string | undefined;
  onLayout?: OnLayout | undefined;
  /** How far it is scrolled to the side. */
  scrolled?: number;
  children: Built[];
}

export const wordsOf = ({ children }: ReactTestRendererJSON): string =>
  (children ?? []).filter((child) => typeof child === 'string').join('');

function build(json: ReactTestRendererJSON, measure: Measure): Built {
  const node = Yoga.Node.create();
  const style = StyleSheet.flatten(json.props.style) as Style;
  apply(node, style);
  if (json.type === 'Text') {
    node.setMeasureFunc((width) => measure(wordsOf(json), style as WordStyle, width));
    return { node, id: json.props.testID, children: [] };
  }
  if (json.type === 'TextInput') {
    // A field is a line high, whatever is in it.
    node.setMeasureFunc((width) => ({
      width,
      height: measure(LINE_OF_A_FIELD, style as WordStyle, Number.NaN).height,
    }));
    return { node, id: json.props.testID, children: [] };
  }
  if (json.type === 'ScrollView') {
    // As the native views have it: they take the room there is, and their content overflows it.
    node.setFlexShrink(1);
    if (style.flexGrow === undefined) node.setFlexGrow(1);
    if (json.props.horizontal) node.setFlexDirection(FlexDirection.Row);
  }
  const children = (json.children ?? [])
    .filter((child) => typeof child !== 'string')
    .map((child) => build(child, measure));
  if (json.type === 'ScrollView') {
    node.setOverflow(Overflow.Scroll);
    for (const child of children) if (json.props.horizontal) child.node.setFlexDirection(FlexDirection.Row);
  }
  for (const [i, child] of children.entries()) node.insertChild(child.node, i);
  const { testID: id, onLayout, contentOffset } = json.props;
  return { node, id, onLayout, scrolled: contentOffset?.x, children };
}

function places(built: Built, x: number, y: number, found: Map<string, Place>): void {
  const { left, top, width, height } = built.node.getComputedLayout();
  if (built.id) found.set(built.id, { x: x + left, y: y + top, width, height });
  for (const child of built.children) places(child, x + left - (built.scrolled ?? 0), y + top, found);
}

export const WIDTH = 390;
export const HEIGHT = 800;

/** By then everything has come to rest, ms. */
export const LATE = 1_000_000;

// Without a word about it React would warn of a renderer that is not for the web.
Object.assign(globalThis, { IS_REACT_ACT_ENVIRONMENT: true, IS_REACT_NATIVE_TEST_ENVIRONMENT: true });

type OnLayout = (event: { nativeEvent: { layout: Place } }) => void;

/** Tells the views that ask for it how large they are. */
function reportLayout({ node, onLayout, children }: Built): void {
  const { left, top, width, height } = node.getComputedLayout();
  onLayout?.({ nativeEvent: { layout: { x: left, y: top, width, height } } });
  for (const child of children) reportLayout(child);
}

/**
 * Draws something once everything has come to rest and lays it out on a screen of 390 × 800 px with the engine that
 * phones use, a second time after its views have learnt their sizes. Places by id of the layer.
 */
export async function placesOnPhone(
  drawn: ReactElement,
  measureFor: (json: ReactTestRendererJSON) => Promise<Measure> = async () => alike,
): Promise<Record<string, Place>> {
  const renderer = await act(async () => create(createElement(MotionProvider, { timeMs: LATE }, drawn)));
  const found = new Map<string, Place>();
  for (const last of [false, true]) {
    const json = renderer.toJSON() as ReactTestRendererJSON;
    const root = build(json, await measureFor(json));
    const device = Yoga.Node.create();
    device.setWidth(WIDTH);
    device.setHeight(HEIGHT);
    device.insertChild(root.node, 0);
    device.calculateLayout(WIDTH, HEIGHT, Direction.LTR);
    if (last) places(root, 0, 0, found);
    else await act(async () => reportLayout(root));
    device.freeRecursive();
  }
  await act(async () => renderer.unmount());
  return Object.fromEntries(found);
}

/** Draws a screen and lays it out. */
export async function placesOf(drawn: Screen, props: Partial<LayerRendererProps> = {}): Promise<Record<string, Place>> {
  const flow = manifest([drawn], { locales: ['en', 'ar'] });
  return placesOnPhone(createElement(LayerRenderer, { manifest: flow, screen: drawn, ...props }));
}

interface Arrangement extends Partial<Screen> {
  body?: Partial<StackLayer>;
  props?: Partial<LayerRendererProps>;
}

/** The places of layers that stand in the body of a screen. */
export async function layOut(
  layers: Layer[],
  { body, props, ...extra }: Arrangement = {},
): Promise<(id: string) => Place> {
  const found = await placesOf(screen('scr_a', layers, { body: body ?? {}, ...extra }), props);
  return (id) => {
    const place = found[id];
    if (!place) throw new Error(`${id} is not shown`);
    return place;
  };
}
