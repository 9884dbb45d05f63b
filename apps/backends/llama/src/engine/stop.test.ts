import { describe, expect, it } from 'vitest'
import { createStopScanner } from './stop.ts'

/** The released text and the matched stop string, for a text that arrives in the given pieces. */
function scan(stops: readonly string[], pieces: readonly string[]): { text: string; stop: string | undefined } {
  const scanner = createStopScanner(stops)
  let text = ''
  for (const piece of pieces) {
    const result = scanner.push(piece)
    text += result.text
    if (result.stop !== undefined) return { text, stop: result.stop }
  }
  return { text: text + scanner.flush(), stop: undefined }
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
    ['a stop string', ['cd'], 'abcdef', 'ab', 'cd'],
    ['one at the start', ['ab'], 'abcd', '', 'ab'],
    ['one at the end', ['ef'], 'abcdef', 'abcd', 'ef'],
    ['the first of two', ['ef', 'cd'], 'abcdefg', 'ab', 'cd'],
    ['the one that ends first, though it begins later', ['bcdef', 'cd'], 'abcdef', 'ab', 'cd'],
    ['the longer of two that end together', ['d', 'bcd'], 'abcdef', 'a', 'bcd'],
    ['a stop string after a false start', ['aab'], 'aaab', 'a', 'aab'],
    ['one made of repeats', ['abab'], 'aababab', 'a', 'abab'],
    ['the beginning of one at the very end', ['cdx'], 'abcd', 'abcd', undefined],
    ['no stop string', ['xyz'], 'abcdef', 'abcdef', undefined],
    ['the empty stop string', [''], 'abc', 'abc', undefined],
    ['nothing to stop at', [], 'abc', 'abc', undefined],
    ['characters outside the basic plane', ['😀b'], 'a😀bc', 'a', '😀b'],
  ])('handles %s wherever the text is cut', (_, stops, text, expected, stop) => {
    for (const pieces of cuts(text)) expect(scan(stops, pieces)).toEqual({ text: expected, stop })
  })

  it('holds back no more than may begin a stop string', () => {
    const scanner = createStopScanner(['end.', 'nd!'])
    expect(scanner.push('the e').text).toBe('the ')
    expect(scanner.push('nd').text).toBe('')
    expect(scanner.push('i').text).toBe('endi')
    expect(scanner.push('ng').text).toBe('ng')
    expect(scanner.push(' send')).toEqual({ text: ' s', stop: undefined })
    expect(scanner.push('!')).toEqual({ text: 'e', stop: 'nd!' })
  })

  it('releases held text only once', () => {
    const scanner = createStopScanner(['ab'])
    expect(scanner.push('a').text).toBe('')
    expect(scanner.flush()).toBe('a')
    expect(scanner.flush()).toBe('')
  })
})
