import { expect, test } from 'vitest';
import { fileNameIn, flowNameOf, kindOf, mostBytes } from './files';

test('a file becomes a flow by its ending and its size', () => {
  expect(kindOf({ name: 'Quiz.zip', size: 1 })).toBe('bundle');
  expect(kindOf({ name: 'Quiz.JSON', size: mostBytes })).toBe('manifest');
  expect(kindOf({ name: 'quiz.pdf', size: 1 })).toEqual({
    refused: 'quiz.pdf is neither an exported flow (.zip) nor a manifest (.json).',
  });
  expect(kindOf({ name: 'Quiz.zip', size: mostBytes + 1 })).toEqual({
    refused: 'Quiz.zip has 52 MB. Flows have 52 MB at most.',
  });
});

test('a flow is named as its file', () => {
  expect(flowNameOf('Fitness quiz.zip')).toBe('Fitness quiz');
  expect(flowNameOf(`${'a'.repeat(90)}.json`)).toHaveLength(80);
});

test('a download has the name that the server gives it', () => {
  expect(fileNameIn('attachment; filename="Fitness quiz.zip"')).toBe('Fitness quiz.zip');
  expect(fileNameIn('attachment; filename=Quiz.zip')).toBe('Quiz.zip');
  expect(fileNameIn("attachment; filename*=utf-8''%D8%A7.zip")).toBe('ا.zip');
  expect(fileNameIn('attachment; filename="a \\"b\\".zip"')).toBe('a "b".zip');
  expect(fileNameIn(null)).toBeUndefined();
});
