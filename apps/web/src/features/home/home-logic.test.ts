import { expect, test } from 'vitest'
import { findFit, findStarters } from './find-starters.ts'
import { toLine } from './to-line.ts'

test('starters are models that are neither installed nor on their way', () => {
  const row = { name: '', description: '', installed: false, processing: false }
  const models = [
    { ...row, id: 'gallery@one', name: 'one', description: 'First line\nmore' },
    { ...row, id: 'two', installed: true },
    { ...row, id: 'three', processing: true },
    { ...row, id: 'gallery@four' },
  ]
  expect(findStarters(models)).toEqual([
    { id: 'gallery@one', name: 'one', description: 'First line' },
    { id: 'gallery@four', name: 'gallery@four', description: '' },
  ])
})

test('a starter fits when one of its variants does', () => {
  const variants = [
    { fits: false, memory_bytes: 9 },
    { fits: true, memory_bytes: 4 },
  ]
  expect(findFit(variants)).toEqual({ memoryBytes: 4 })
  expect(findFit([{ fits: true }])).toEqual({ memoryBytes: undefined })
  expect(findFit([{ fits: false }])).toBeUndefined()
})

test('the line spans the box, its highest value near the top', () => {
  expect(toLine([0, 2, 1])).toBe('M0.00 80.0 L50.00 4.0 L100.00 42.0')
  expect(toLine([])).toBe('M0 80 L100 80')
})
