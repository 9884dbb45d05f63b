import { expect, it } from 'vitest'
import { embedText } from './embed-text.ts'

const cosine = (a: number[], b: number[]) => a.reduce((sum, value, index) => sum + value * (b[index] ?? 0), 0)

it('gives unit vectors of the length that is asked for', () => {
  for (const text of ['', '…', 'one', 'one two three']) {
    const vector = embedText(text, 16)
    expect(vector).toHaveLength(16)
    expect(Math.hypot(...vector)).toBeCloseTo(1, 10)
  }
})

it('puts texts with common words near each other', () => {
  const base = embedText('the quick brown fox', 64)
  expect(cosine(base, embedText('The quick, brown FOX!', 64))).toBeCloseTo(1, 10)
  expect(cosine(base, embedText('the quick brown dog', 64))).toBeGreaterThan(0.5)
  expect(cosine(base, embedText('entirely different words here', 64))).toBeLessThan(0.5)
})
