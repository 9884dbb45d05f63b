import { expect, it } from 'vitest'
import { MAX_DIMENSION } from '../vector/vector-index.ts'
import { formatLine, parseLine } from './line.ts'

const WHOLE = {
  text: 'fix the bug',
  labels: ['code', 'math'],
  vector: [0.5, -0.25],
  embedding_model: 'words',
  embedding_fingerprint: 'f1',
}

it('a line comes back as the entry it was made of, down to the last digit of a vector', () => {
  const vector = Float32Array.of(1 / 3, -1e-20, 16_777_217, 0.1)
  const entry = { text: 'a\n"b"', labels: ['x'], vector, embeddingModel: 'm', embeddingFingerprint: 'f' }
  expect(parseLine(formatLine(entry))).toEqual({ entry })
  expect(formatLine(entry)).not.toContain('\n')
})

it.each([
  [{}, 'words', 'f1'],
  [{ embedding_model: undefined }, '', 'f1'],
  [{ embedding_model: 7 }, '', 'f1'],
  [{ embedding_fingerprint: undefined }, 'words', ''],
  [{ embedding_fingerprint: null }, 'words', ''],
])('a line with %j names its model and fingerprint, or neither', (change, embeddingModel, embeddingFingerprint) => {
  expect(parseLine(JSON.stringify({ ...WHOLE, ...change }))).toMatchObject({
    entry: { text: 'fix the bug', labels: ['code', 'math'], embeddingModel, embeddingFingerprint },
  })
})

it.each([
  ['{', 'is not JSON'],
  ['null', 'is not an object'],
  ['7', 'is not an object'],
  [JSON.stringify({ ...WHOLE, text: ' ' }), 'has no text'],
  [JSON.stringify({ ...WHOLE, text: 7 }), 'has no text'],
  ...['code', [], [''], [' '], [7], ['a', 'a']].map((labels) => [
    JSON.stringify({ ...WHOLE, labels }),
    'has no list of different labels',
  ]),
  ...[undefined, 'x', [], ['1'], [null], Array.from({ length: MAX_DIMENSION + 1 }, () => 1)].map((vector) => [
    JSON.stringify({ ...WHOLE, vector }),
    'has no vector',
  ]),
])('%.60s… %s', (line, problem) => {
  expect(parseLine(line)).toEqual({ problem })
})

it('a line may hold the longest vector', () => {
  const vector = Array.from({ length: MAX_DIMENSION }, () => 1)
  expect(parseLine(JSON.stringify({ ...WHOLE, vector }))).toHaveProperty('entry')
})
