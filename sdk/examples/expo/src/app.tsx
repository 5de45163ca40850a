import { bindNavigationState, reset, type SvcConfig, SvcProvider } from '@svc/expo';
import { useEffect, useMemo, useState } from 'react';
import { StyleSheet, Text, View } from 'react-native';
import { SafeAreaProvider, SafeAreaView } from 'react-native-safe-area-context';
import { Button } from './button';
import { Channels } from './channels';
import { Run } from './run';
import { SERVICE } from './service';

/** Where the app is. A navigation library keeps the same shape. */
type Route = { name: 'Channels' } | { name: 'Flow'; channelId: string };

/** The shop: a list of channels, and a screen that one of them fills with its flow. */
export function App() {
  const [userId, setUserId] = useState('');
  const [route, setRoute] = useState<Route>({ name: 'Channels' });
  const config = useMemo<SvcConfig>(
    () => ({
      publishableKey: SERVICE.publishableKey,
      apiBaseUrl: SERVICE.apiBaseUrl,
      appVersion: '1.0.0',
      customProperties: { first_name: 'Ana' },
      ...(userId ? { userId } : {}),
    }),
    [userId],
  );
  // Each screen is counted under its name: hand over what the navigation library says.
  useEffect(() => bindNavigationState({ index: 0, routes: [{ name: route.name }] }), [route.name]);

  if (!SERVICE.publishableKey) return <NoService />;
  return (
    <SafeAreaProvider>
      <SvcProvider config={config} logLevel="warn" prefetch="all">
        {route.name === 'Flow' ? (
          <Run channelId={route.channelId} leave={() => setRoute({ name: 'Channels' })} />
        ) : (
          <SafeAreaView style={styles.screen}>
            <Channels open={(channelId) => setRoute({ name: 'Flow', channelId })} />
            {userId ? (
              <Button
                label="Sign out"
                onPress={() => {
                  reset();
                  setUserId('');
                }}
              />
            ) : (
              <Button label="Sign in as Ana" onPress={() => setUserId('ana')} />
            )}
          </SafeAreaView>
        )}
      </SvcProvider>
    </SafeAreaProvider>
  );
}

function NoService() {
  return (
    <View style={[styles.screen, styles.center]}>
      <Text>Start the service with `make run`, then restart Metro.</Text>
    </View>
  );
}

const styles = StyleSheet.create({
  screen: { flex: 1, padding: 16, gap: 12, backgroundColor: '#fff' },
  center: { justifyContent: 'center', alignItems: 'center' },
});
