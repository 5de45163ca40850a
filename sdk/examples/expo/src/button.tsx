import { Pressable, StyleSheet, Text } from 'react-native';

export function Button({ label, onPress }: { label: string; onPress: () => void }) {
  return (
    <Pressable accessibilityRole="button" onPress={onPress} style={styles.button}>
      <Text style={styles.label}>{label}</Text>
    </Pressable>
  );
}

const styles = StyleSheet.create({
  button: { padding: 14, borderRadius: 10, backgroundColor: '#14532d' },
  label: { color: '#fff', textAlign: 'center' },
});
