import { Flow, type FlowTerminalSnapshot } from '@svc/react-native';
import { useState } from 'react';
import { ScrollView, StyleSheet, Text, View } from 'react-native';
import { useSafeAreaInsets } from 'react-native-safe-area-context';
import { Button } from './button';
import { signIn, signUpOrIn } from './identity';

/** Runs a channel's flow over the whole screen, then shows what it found out. */
export function Run({ channelId, leave }: { channelId: string; leave: () => void }) {
  const insets = useSafeAreaInsets();
  const [snapshot, setSnapshot] = useState<FlowTerminalSnapshot | null>(null);
  if (snapshot) {
    return (
      <ScrollView contentContainerStyle={[styles.page, { paddingTop: insets.top + 16 }]}>
        <Text accessibilityRole="header" style={styles.title}>
          {snapshot.terminal}
        </Text>
        <Text selectable>{JSON.stringify(snapshot, null, 2)}</Text>
        <Button label="Back to the channels" onPress={leave} />
      </ScrollView>
    );
  }
  return (
    <Flow
      channelId={channelId}
      onFlowCompleted={setSnapshot}
      onFlowAbandoned={setSnapshot}
      onOAuthLogin={signIn}
      onEmailPasswordAuth={signUpOrIn}
      fallback={({ error, retry }) => (
        <View style={[styles.page, styles.center]}>
          <Text>{error.message}</Text>
          <Button label="Try again" onPress={retry} />
          <Button label="Back to the channels" onPress={leave} />
        </View>
      )}
    />
  );
}

const styles = StyleSheet.create({
  page: { padding: 16, gap: 12 },
  center: { flex: 1, justifyContent: 'center', backgroundColor: '#fff' },
  title: { fontSize: 24, fontWeight: '600' },
});
