import { type ExternalSurfaceProps, Flow, type FlowTerminalSnapshot } from '@svc/react';
import { useEffect, useMemo, useState } from 'react';
import { signIn, signUpOrIn } from './identity';
import { checkoutOf, type DevService } from './service';
import type { Locale, WORDS } from './words';

interface RunProps {
  service: DevService;
  channelId: string;
  palette: 'light' | 'dark';
  locale: Locale;
  words: (typeof WORDS)['en'];
  hasPlus: boolean;
  onEnd: (snapshot: FlowTerminalSnapshot) => void;
}

/** A flow in the whole of the display. */
export function Run({ service, channelId, palette, locale, words, hasPlus, onEnd }: RunProps) {
  const surfaces = useMemo(
    () => ({
      restorePurchase: (props: ExternalSurfaceProps) => <Restore {...props} words={words} hasPlus={hasPlus} />,
    }),
    [words, hasPlus],
  );
  return (
    <div className="run">
      <Flow
        channelId={channelId}
        theme={palette}
        locale={locale}
        externalSurfaces={surfaces}
        openPaymentLink={(link) => window.location.assign(checkoutOf(service, link, locale))}
        onFlowCompleted={onEnd}
        onFlowAbandoned={onEnd}
        onOAuthLogin={signIn}
        onEmailPasswordAuth={signUpOrIn}
      />
    </div>
  );
}

const LOOK_MS = 1_200;

/** Stands in for an app's own search for an earlier purchase. */
function Restore(props: ExternalSurfaceProps & Pick<RunProps, 'words' | 'hasPlus'>) {
  const { words, hasPlus, onComplete, onBack } = props;
  const [looked, setLooked] = useState(false);
  useEffect(() => {
    const timer = setTimeout(() => (hasPlus ? onComplete() : setLooked(true)), LOOK_MS);
    return () => clearTimeout(timer);
  }, [hasPlus, onComplete]);
  return (
    <div className="restore" role="status">
      <p>{looked ? words.restoreNothing : words.restoring}</p>
      {looked && (
        <button type="button" onClick={() => onBack()}>
          {words.back}
        </button>
      )}
    </div>
  );
}
