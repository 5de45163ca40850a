import { useImperativeHandle, useState } from 'react';
import { Pressable, Text } from 'react-native';
import type { FilmProps } from '../../../src/adapters/adapters';

/** A film whose whole content is what it was asked to do. A tap is its end. */
export function Film({ url, fit, loop, muted, playing, onEnd, handle }: FilmProps) {
  const [started, setStarted] = useState(0);
  useImperativeHandle(handle, () => ({ play: () => setStarted((times) => times + 1) }));
  const words = `${url.split('/').pop()} ${fit} ${loop ? 'loops' : 'once'} ${muted ? 'muted' : 'aloud'}`;
  return (
    <Pressable
      testID="film"
      onPress={() => {
        if (!loop) onEnd?.();
      }}
      style={{ flex: 1, alignItems: 'center', justifyContent: 'center', backgroundColor: '#264653' }}
    >
      <Text style={{ color: '#e9f5f2', fontFamily: 'Inter Variable', fontSize: 12 }}>
        {`${words} ${playing || started > 0 ? 'playing' : 'waiting'}`}
      </Text>
    </Pressable>
  );
}
