import { useEffect, useState } from 'react';
import { AccessibilityInfo } from 'react-native';

/** Whether the visitor's system asks for less motion. False until the system has answered. */
export function useSystemReducedMotion(): boolean {
  const [reduced, setReduced] = useState(false);
  useEffect(() => {
    let current = true;
    const take = (value: boolean) => {
      if (current) setReduced(value);
    };
    AccessibilityInfo.isReduceMotionEnabled().then(take, () => undefined);
    const subscription = AccessibilityInfo.addEventListener('reduceMotionChanged', take);
    return () => {
      current = false;
      subscription?.remove();
    };
  }, []);
  return reduced;
}
