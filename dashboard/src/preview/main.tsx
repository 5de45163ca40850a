import './preview.css';
import { type FlowManifest, LayerRenderer } from '@svc/react';
import { Component, type ReactNode, useEffect, useState } from 'react';
import { flushSync } from 'react-dom';
import { createRoot } from 'react-dom/client';
import { ready, type Shown } from './shown';

/** Draws the screen that the page around it names, with the renderer of the SDK. */
function Preview() {
  const [shown, setShown] = useState<Shown>();
  useEffect(() => {
    const listen = ({ origin, source, data }: MessageEvent) => {
      // A document without a frame is its own parent, and hears what it says.
      if (origin === location.origin && source === parent && data !== ready) setShown(data as Shown);
    };
    addEventListener('message', listen);
    parent.postMessage(ready, location.origin);
    return () => removeEventListener('message', listen);
  }, []);
  const printed = usePrinted();
  useEffect(() => {
    mark(shown?.marks ?? []);
  }, [shown]);
  if (!shown) return null;
  const manifest = shown.manifest as FlowManifest;
  const screen = manifest.screens?.find(({ id }) => id === shown.screen);
  if (!screen) return null;
  return (
    <Undrawable key={JSON.stringify(screen)}>
      <LayerRenderer
        manifest={manifest}
        screen={screen}
        locale={shown.locale}
        theme={printed ? 'light' : shown.theme}
        mediaMap={shown.mediaMap}
        branding={shown.branding as never}
        mode="static"
        style={{ height: '100%' }}
      />
    </Undrawable>
  );
}

/** Whether the page is on its way to paper, which is light whatever the reader's screen is. It is drawn before the event
 * is over: the browser takes its picture then. */
function usePrinted(): boolean {
  const [printed, setPrinted] = useState(false);
  useEffect(() => {
    const paper = matchMedia('print');
    const show = (on: boolean) => () => flushSync(() => setPrinted(on));
    const [before, after, change] = [show(true), show(false), () => show(paper.matches)()];
    addEventListener('beforeprint', before);
    addEventListener('afterprint', after);
    paper.addEventListener('change', change);
    return () => {
      removeEventListener('beforeprint', before);
      removeEventListener('afterprint', after);
      paper.removeEventListener('change', change);
    };
  }, []);
  return printed;
}

/** Outlines layers, wide enough to be seen in a small picture, and shows the first of them. */
function mark(layers: readonly string[]) {
  const all = [...document.querySelectorAll<HTMLElement>('[data-layer]')];
  for (const { dataset, style } of all) {
    if (layers.includes(dataset.layer!)) {
      style.setProperty('outline', '5px solid #e8590c', 'important');
      style.setProperty('outline-offset', '-3px');
    } else style.removeProperty('outline');
  }
  const first = all.find(({ dataset }) => layers.includes(dataset.layer!));
  const body = document.querySelector('.svc-body');
  // Not scrollIntoView: that scrolls the page around, too.
  if (first && body && first.getBoundingClientRect().bottom > innerHeight)
    body.scrollTop += first.getBoundingClientRect().top - innerHeight / 3;
}

/** A draft can be wrong in ways that nothing can be drawn of. */
class Undrawable extends Component<{ children: ReactNode }, { failed: boolean }> {
  override state = { failed: false };
  static getDerivedStateFromError() {
    return { failed: true };
  }
  override render() {
    return this.state.failed ? <p>This screen is not finished and cannot be shown.</p> : this.props.children;
  }
}

createRoot(document.getElementById('root')!).render(<Preview />);
