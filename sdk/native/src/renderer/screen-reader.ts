import { useEffect, useState } from 'react';
import { AccessibilityInfo } from 'react-native';

/** Whether a screen reader is on. False until the system has answered. */
export function useScreenReader(): boolean {
  const [on, setOn] = useState(false);
  useEffect(() => {
    let current = true;
    const take = (value: boolean) => {
      if (current) setOn(value);
    };
    AccessibilityInfo.isScreenReaderEnabled().then(take, () => undefined);
    const subscription = AccessibilityInfo.addEventListener('screenReaderChanged', take);
    return () => {
      current = false;
      subscription?.remove();
    };
  }, []);
  return on;
}
