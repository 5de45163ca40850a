import type { MotionStep, MotionStyle } from '@svc/react-core';
import type { CSSProperties } from 'react';

function stepCss(step: MotionStep): string {
  if (step.kind === 'rotate') return `rotate(${step.degrees}deg)`;
  if (step.kind === 'scale') return `scale(${step.factor})`;
  return `translate(${step.x}${step.unit}, ${step.y}${step.unit})`;
}

/** CSS of a moment of motion, over a box that has an opacity of its own. */
export function motionCss(motion: MotionStyle, ownOpacity: number): CSSProperties {
  const opacity = ownOpacity * motion.opacity;
  return {
    ...(motion.transform.length > 0 ? { transform: motion.transform.map(stepCss).join(' ') } : {}),
    ...(opacity === 1 ? {} : { opacity }),
  };
}
