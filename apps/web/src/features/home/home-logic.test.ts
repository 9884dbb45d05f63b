import { expect, test } from 'vitest'
import { readFit, readStarters } from './read-starters.ts'
import { toLine } from './to-line.ts'

test('starters are models that are neither installed nor on their way', () => {
  const page = {
    models: [
      { id: 'gallery@one', name: 'one', description: 'First line\nmore' },
      { id: 'two', installed: true },
      { id: 'three', processing: true },
      { name: 'no id' },
      'text',
    ],
  }
  expect(readStarters(page)).toEqual([{ id: 'gallery@one', name: 'one', description: 'First line' }])
  expect(readStarters(null)).toEqual([])
})

test('a starter fits when one of its variants does', () => {
  const variants = [
    { model: 'a', fits: false, memory_bytes: 9 },
    { model: 'b', fits: true, memory_bytes: 4 },
  ]
  expect(readFit({ variants })).toEqual({ memoryBytes: 4 })
  expect(readFit({ variants: [{ fits: false }] })).toBeUndefined()
  expect(readFit(undefined)).toBeUndefined()
})

test('the line spans the box, its highest value near the top', () => {
  expect(toLine([0, 2, 1])).toBe('M0.00 80.0 L50.00 4.0 L100.00 42.0')
  expect(toLine([])).toBe('M0 80 L100 80')
})
