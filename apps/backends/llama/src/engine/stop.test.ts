import { describe, expect, it } from 'vitest'
import { createStopScanner } from './stop.ts'

/** Text given out and whether a stop string came, for a text that arrives in the given pieces. */
function scan(stops: readonly string[], pieces: readonly string[]): { text: string; stopped: boolean } {
  const scanner = createStopScanner(stops)
  let text = ''
  for (const piece of pieces) {
    const result = scanner.push(piece)
    text += result.text
    if (result.stopped) return { text, stopped: true }
  }
  return { text: text + scanner.flush(), stopped: false }
}

/** All ways to cut a text into pieces. */
function cuts(text: string): string[][] {
  if (text.length <= 1) return [[text]]
  const [head = '', tail = ''] = [text.slice(0, 1), text.slice(1)]
  return cuts(tail).flatMap(([next = '', ...rest]) => [
    [head, next, ...rest],
    [head + next, ...rest],
  ])
}

describe('a stop scanner', () => {
  it.each([
    ['a stop string', ['cd'], 'abcdef', 'ab', true],
    ['one at the start', ['ab'], 'abcd', '', true],
    ['one at the end', ['ef'], 'abcdef', 'abcd', true],
    ['the first of two', ['ef', 'cd'], 'abcdefg', 'ab', true],
    ['the one that ends first, though it begins later', ['bcdef', 'cd'], 'abcdef', 'ab', true],
    ['the longer of two that end together', ['d', 'bcd'], 'abcdef', 'a', true],
    ['a stop string after a false start', ['aab'], 'aaab', 'a', true],
    ['one made of repeats', ['abab'], 'aababab', 'a', true],
    ['the beginning of one at the very end', ['cdx'], 'abcd', 'abcd', false],
    ['no stop string', ['xyz'], 'abcdef', 'abcdef', false],
    ['the empty stop string', [''], 'abc', 'abc', false],
    ['nothing to stop at', [], 'abc', 'abc', false],
    ['characters outside the basic plane', ['😀b'], 'a😀bc', 'a', true],
  ])('handles %s wherever the text is cut', (_, stops, text, expected, stopped) => {
    for (const pieces of cuts(text)) expect(scan(stops, pieces)).toEqual({ text: expected, stopped })
  })

  it('holds back no more than may begin a stop string', () => {
    const scanner = createStopScanner(['end.', 'nd!'])
    expect(scanner.push('the e').text).toBe('the ')
    expect(scanner.push('nd').text).toBe('')
    expect(scanner.push('i').text).toBe('endi')
    expect(scanner.push('ng').text).toBe('ng')
    expect(scanner.push(' send')).toEqual({ text: ' s', stopped: false })
    expect(scanner.push('!')).toEqual({ text: 'e', stopped: true })
  })

  it('gives out what was held back only once', () => {
    const scanner = createStopScanner(['ab'])
    expect(scanner.push('a').text).toBe('')
    expect(scanner.flush()).toBe('a')
    expect(scanner.flush()).toBe('')
  })
})
