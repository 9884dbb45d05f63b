import { expect, it } from 'vitest'
import { readSearchChoice, readSearchNumber, readSearchText } from './search-values.ts'

it('reads texts, and numbers as texts', () => {
  expect(readSearchText('a')).toBe('a')
  expect(readSearchText(42)).toBe('42')
  expect(readSearchText('')).toBeUndefined()
  expect(readSearchText({ a: 1 })).toBeUndefined()
})

it('reads whole numbers within limits', () => {
  expect(readSearchNumber('7')).toBe(7)
  expect(readSearchNumber(7, { max: 6 })).toBeUndefined()
  expect(readSearchNumber(-1)).toBeUndefined()
  expect(readSearchNumber('')).toBeUndefined()
  expect(readSearchNumber('1.5')).toBeUndefined()
  expect(readSearchNumber(Number.POSITIVE_INFINITY)).toBeUndefined()
})

it('reads one of a few values, as text or number', () => {
  expect(readSearchChoice('6', [1, 6, 24])).toBe(6)
  expect(readSearchChoice(5, [1, 6, 24])).toBeUndefined()
  expect(readSearchChoice('backend', ['api', 'backend'])).toBe('backend')
})
