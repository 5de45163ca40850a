import { logEvent } from '@svc/expo';
import { FlatList, StyleSheet, Text } from 'react-native';
import { Button } from './button';
import { SERVICE } from './service';

/** The channels of the local service, and an event of the app's own. */
export function Channels({ open }: { open: (channelId: string) => void }) {
  return (
    <>
      <Text accessibilityRole="header" style={styles.title}>
        Channels
      </Text>
      <FlatList
        data={SERVICE.channels}
        keyExtractor={({ id }) => id}
        contentContainerStyle={styles.list}
        renderItem={({ item }) => <Button label={`${item.name} (${item.state})`} onPress={() => open(item.id)} />}
      />
      <Button label="Water the fern" onPress={() => logEvent('plant_watered', { plant: 'fern', litres: 0.5 })} />
    </>
  );
}

const styles = StyleSheet.create({
  title: { fontSize: 24, fontWeight: '600' },
  list: { gap: 8 },
});
