import { type CSSProperties, createContext, type ReactNode, useContext, useState, useSyncExternalStore } from 'react';

/** Properties whose numbers are plain; all others are lengths in px, as React writes them. */
const UNITLESS =
  /^(aspectRatio|flex|flexGrow|flexShrink|fontWeight|lineHeight|opacity|order|scale|strokeOpacity|zIndex)$/;
/** What could end a rule or the element that holds it; a value that no browser takes is left out. */
const UNSAFE = /[<{};]|\/\*|\\$/;

function declaration([name, value]: [string, unknown]): string {
  if (value === undefined || value === null || value === '') return '';
  const property = name.startsWith('--') ? name : name.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`);
  const text =
    typeof value === 'number' && value !== 0 && !UNITLESS.test(name) && !name.startsWith('--')
      ? `${value}px`
      : `${value}`;
  const quotes = text.split('"').length - 1;
  if (UNSAFE.test(text) || quotes % 2 !== 0 || text.split('(').length !== text.split(')').length) return '';
  return `${property}:${text};`;
}

/** Hash of a text (cyrb53): the same on the server and in the page, and good enough not to meet itself. */
function hash(text: string): string {
  let a = 0xdeadbeef;
  let b = 0x41c6ce57;
  for (let at = 0; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    a = Math.imul(a ^ code, 2654435761);
    b = Math.imul(b ^ code, 1597334677);
  }
  a = Math.imul(a ^ (a >>> 16), 2246822507) ^ Math.imul(b ^ (b >>> 13), 3266489909);
  b = Math.imul(b ^ (b >>> 16), 2246822507) ^ Math.imul(a ^ (a >>> 13), 3266489909);
  return (4294967296 * (2097151 & b) + (a >>> 0)).toString(36);
}

/** Rules of the elements of one server render, in place of the `style` attributes that a strict policy blocks. */
export class ServerSheet {
  private readonly rules = new Map<string, string>();

  /** The class that stands for these styles. */
  classFor(css: CSSProperties): string {
    const body = Object.entries(css).map(declaration).join('');
    if (body === '') return '';
    const name = `svc-${hash(body)}`;
    // As heavy as an attribute would be: above all rules of the stylesheet.
    this.rules.set(name, `.${name}:not(#svc#svc#svc){${body}}`);
    return name;
  }

  text(): string {
    return [...this.rules.values()].join('\n');
  }
}

const SheetContext = /* @__PURE__ */ createContext<ServerSheet | null>(null);
const NonceContext = /* @__PURE__ */ createContext<string | undefined>(undefined);
const never = () => () => undefined;

/** Whether this renders on a server, or in the page what a server has rendered. */
export function useServerRender(): boolean {
  return useSyncExternalStore(
    never,
    () => false,
    () => true,
  );
}

export interface StyleProps {
  style?: CSSProperties;
  className?: string;
}

function inlineProps(css: CSSProperties, className?: string): StyleProps {
  return className ? { className, style: css } : { style: css };
}

/**
 * Turns styles into the props of an element: inline styles in the page, which scripts may set under any policy, and
 * classes in HTML of a server, where `style-src` without `unsafe-inline` blocks the attribute.
 */
export function useStyleProps(): (css: CSSProperties, className?: string) => StyleProps {
  const sheet = useContext(SheetContext);
  if (!sheet) return inlineProps;
  return (css, className) => ({ className: [className, sheet.classFor(css)].filter(Boolean).join(' ') });
}

/** A `style` element with the nonce of the page's policy. */
export function StyleElement({ rules }: { rules: string }): ReactNode {
  const nonce = useContext(NonceContext);
  return (
    <style
      {...(nonce === undefined ? {} : { nonce })}
      // Browsers hide the nonce from scripts, so React would find another one than the server wrote.
      suppressHydrationWarning
      // biome-ignore lint/security/noDangerouslySetInnerHtml: rules of the SDK; authored values are escaped
      dangerouslySetInnerHTML={{ __html: rules }}
    />
  );
}

export interface StyleScopeProps {
  /** Default: that of the scope around this one. */
  nonce?: string | undefined;
  children: ReactNode;
}

/** Gives the nonce to the style elements below. */
export function StyleNonce({ nonce, children }: StyleScopeProps): ReactNode {
  return nonce === undefined ? children : <NonceContext.Provider value={nonce}>{children}</NonceContext.Provider>;
}

/** Collects the styles of the elements below while a server renders, and writes their rules behind them. */
export function StyleScope({ nonce, children }: StyleScopeProps): ReactNode {
  const server = useServerRender();
  const outer = useContext(SheetContext);
  const [sheet] = useState(() => new ServerSheet());
  // The same elements in both cases: what was hydrated stays mounted.
  return (
    <StyleNonce nonce={nonce}>
      <SheetContext.Provider value={server ? (outer ?? sheet) : null}>
        {children}
        {server && !outer && <ServerRules sheet={sheet} />}
      </SheetContext.Provider>
    </StyleNonce>
  );
}

/** Renders after everything whose rules it writes. */
function ServerRules({ sheet }: { sheet: ServerSheet }): ReactNode {
  return <StyleElement rules={sheet.text()} />;
}
