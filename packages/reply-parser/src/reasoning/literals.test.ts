import { describe, expect, it } from 'vitest'
import { listFirstUnits, matchLiteralAt, measureHeldBack } from './literals.ts'

describe('matchLiteralAt', () => {
  const at = (literals: readonly string[], text: string, final = false) =>
    matchLiteralAt(literals, { text, at: 1, end: text.length, final })

  it('identifies the literal at a position', () => {
    expect(at(['<a>', '<b>'], 'x<b>y')).toBe(1)
    expect(at(['<a>', '<b>'], 'x<c>y')).toBe('none')
  })

  it('waits for more text while one may still come', () => {
    expect(at(['<a>', '<b>'], 'x<')).toBe('more')
    expect(at(['<a>', '<b>'], 'x<', true)).toBe('none')
    expect(at(['<a>'], 'x')).toBe('more')
  })

  it('picks the first match and waits for it', () => {
    expect(at(['<ab', '<a'], 'x<ab')).toBe(0)
    expect(at(['<ab', '<a'], 'x<a')).toBe('more')
    expect(at(['<ab', '<a'], 'x<a', true)).toBe(1)
    expect(at(['<a', '<ab'], 'x<ab')).toBe(0)
  })

  it('looks no further than the end of the window', () => {
    expect(matchLiteralAt(['<a>'], { text: '<a>', at: 0, end: 2, final: true })).toBe('none')
  })
})

describe('heldBackLength', () => {
  it.each([
    ['abc<', 1],
    ['abc</thin', 6],
    ['abc', 0],
    ['', 0],
    ['<<', 1],
    ['</think>', 0],
  ])('of %j is %i', (text, length) => {
    expect(measureHeldBack(text, '</think>')).toBe(length)
  })

  it('is the longest beginning, where one is inside another', () => {
    expect(measureHeldBack('xaab', 'aabaac')).toBe(3)
    expect(measureHeldBack('xaabaa', 'aabaac')).toBe(5)
  })
})

describe('firstUnits', () => {
  it('names each once', () => {
    expect([...listFirstUnits(['<a', '<b', '['])]).toEqual([0x3c, 0x5b])
  })
})
