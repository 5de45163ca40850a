import type { ExternalSurfaceNode, SurfaceOutcome } from '@svc/core';
import { closestLocale } from '@svc/core/internal';

/** What a preview says for itself. Nobody but its author reads it, so hosts have no `copy` for it. */
export interface PreviewWords {
  badge: string;
  /** The link is no good any more. */
  failed: string;
  /** Stands where a surface of this kind would be. */
  surface: string;
  outcomes: Readonly<Record<SurfaceOutcome, string>>;
}

const WORDS: Readonly<Record<string, PreviewWords>> = {
  en: {
    badge: 'Preview',
    failed: 'This preview cannot be shown. Its link may have expired: make a new one.',
    surface: 'Shown here outside of a preview:',
    outcomes: {
      purchase_completed: 'Purchase completed',
      purchase_cancelled: 'Purchase cancelled',
      restore_completed: 'Purchases restored',
      completed: 'Completed',
      dismissed: 'Dismissed',
      back: 'Back',
      failed: 'Failed',
    },
  },
  de: {
    badge: 'Vorschau',
    failed: 'Diese Vorschau kann nicht gezeigt werden. Vielleicht ist ihr Link abgelaufen: Erstelle einen neuen.',
    surface: 'Außerhalb der Vorschau erscheint hier:',
    outcomes: {
      purchase_completed: 'Kauf abgeschlossen',
      purchase_cancelled: 'Kauf abgebrochen',
      restore_completed: 'Käufe wiederhergestellt',
      completed: 'Abgeschlossen',
      dismissed: 'Geschlossen',
      back: 'Zurück',
      failed: 'Fehlgeschlagen',
    },
  },
  ar: {
    badge: 'معاينة',
    failed: 'لا يمكن عرض هذه المعاينة. ربما انتهت صلاحية الرابط: أنشئ رابطًا جديدًا.',
    surface: 'يظهر هنا خارج المعاينة:',
    outcomes: {
      purchase_completed: 'اكتمل الشراء',
      purchase_cancelled: 'أُلغي الشراء',
      restore_completed: 'استُعيدت المشتريات',
      completed: 'اكتمل',
      dismissed: 'أُغلق',
      back: 'رجوع',
      failed: 'فشل',
    },
  },
};

/** The words in the language of a locale, else in English. */
export function previewWords(locale: string | undefined): PreviewWords {
  return WORDS[closestLocale(locale ?? '', Object.keys(WORDS)) ?? 'en'] as PreviewWords;
}

/** How surfaces that sell can end, and all others. */
const SELLING: readonly SurfaceOutcome[] = ['purchase_completed', 'restore_completed', 'purchase_cancelled'];
const OTHERS: readonly SurfaceOutcome[] = ['completed', 'back'];
const ALWAYS: readonly SurfaceOutcome[] = ['dismissed', 'failed'];

/** The ways that whoever looks at a preview can take out of a surface. */
export function previewOutcomes({ config }: ExternalSurfaceNode): readonly SurfaceOutcome[] {
  return [...(config.provider === 'headless' ? OTHERS : SELLING), ...ALWAYS];
}
