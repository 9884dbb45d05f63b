import { describe, expect, it } from 'vitest'
import { Dice } from './__fixtures__/random-patterns.ts'
import { CHUNK_UNITS, LiteralScanner } from './literal-scanner.ts'

function scanAll(literals: readonly string[], text: string): Map<string, number[]> {
  const scanner = new LiteralScanner(new Map(literals.map((literal, index) => [literal, [index]])))
  const found = new Map<string, number[]>(literals.map((literal) => [literal, []]))
  for (let at = 0, first = true; first || at < text.length; first = false) {
    at = scanner.scan(text, at, (owner, start) => found.get(literals[owner] ?? '')?.push(start))
  }
  return found
}

function occurrences(literal: string, text: string): number[] {
  const all: number[] = []
  for (let at = text.indexOf(literal); at >= 0; at = text.indexOf(literal, at + 1)) all.push(at)
  return all
}

describe('finds every occurrence, once', () => {
  const literals = ['abc', 'bca', 'aaa', 'sk-ant-', 'münze', '日本語', '🔑🔑🔑', 'a🔑b', 'é-é', 'ghp_', 'private key']

  it.each([
    ['ASCII', ['a', 'b', 'c', ' ', 'sk-', 'ant-', 'ghp_', 'private key', '-']],
    ['Latin-1', ['a', 'b', 'c', 'é', 'münze', '-', 'ü']],
    ['any text', ['a', 'b', 'c', '🔑', '日本', '語', 'é', 'münze', '\ud83d', '\udd11', 'sk-ant-']],
  ])('%s', (_, pieces) => {
    const dice = new Dice(41)
    for (let round = 0; round < 40; round++) {
      const length = round % 4 === 0 ? 30_000 : 200
      const text = Array.from({ length }, () => pieces[dice.roll(pieces.length)] ?? '').join('')
      const found = scanAll(literals, text)
      for (const literal of literals)
        expect([literal, found.get(literal)]).toEqual([literal, occurrences(literal, text)])
    }
  })

  it('at every place around the edge of a chunk', () => {
    for (const filler of ['x', 'é', '🔑']) {
      for (let shift = -24; shift <= 24; shift++) {
        const text = `${filler.repeat((CHUNK_UNITS + shift) / filler.length)}sk-ant-abc${filler.repeat(40)}`
        const found = scanAll(literals, text)
        expect(found.get('sk-ant-')).toEqual(occurrences('sk-ant-', text))
        expect(found.get('abc')).toEqual(occurrences('abc', text))
      }
    }
  })

  it('at the very start and end of a text, and in the empty text', () => {
    expect(scanAll(['abc'], 'abc').get('abc')).toEqual([0])
    expect(scanAll(['abc'], 'xabc').get('abc')).toEqual([1])
    expect(scanAll(['abc'], 'ab').get('abc')).toEqual([])
    expect(scanAll(['abc'], '').get('abc')).toEqual([])
  })

  it('bytes of an earlier text are never seen again', () => {
    const scanner = new LiteralScanner(new Map([['abc', [0]]]))
    const starts: number[] = []
    scanner.scan('xxabcabc', 0, () => undefined)
    scanner.scan('xxa', 0, (_, start) => starts.push(start))
    expect(starts).toEqual([])
  })

  it('hundreds of texts, each under its own number', () => {
    const many = Array.from({ length: 400 }, (_, index) => `k${index.toString(36)}_${index % 7}z`)
    const text = many.join(' ')
    const found = scanAll(many, text)
    for (const literal of many) expect(found.get(literal)).toEqual(occurrences(literal, text))
  })
})

describe('one look at a text', () => {
  it('reports no match for an ASCII text that is short and holds none of the texts', () => {
    const literals = ['abc', 'sk-ant-', 'ghp_', '🔑🔑🔑']
    const scanner = new LiteralScanner(new Map(literals.map((literal, index) => [literal, [index]])))
    const dice = new Dice(43)
    const pieces = ['a', 'b', 'c', ' ', 'sk-', 'ant-', 'ghp', '_', '-', 'word ', 'é', '🔑']
    const told = { quiet: 0, found: 0, beyond: 0 }
    for (let round = 0; round < 4000; round++) {
      const text = Array.from({ length: dice.roll(12) }, () => pieces[dice.roll(pieces.length)] ?? '').join('')
      const isFound = literals.some((literal) => text.includes(literal))
      const isAscii = [...text].every((character) => character.length === 1 && character < '\u0080')
      expect([text, scanner.isPlainWithout(text)]).toEqual([text, !isFound && isAscii])
      told[isFound ? 'found' : isAscii ? 'quiet' : 'beyond'] += 1
    }
    expect(Math.min(told.quiet, told.found, told.beyond)).toBeGreaterThan(100)
  })

  it('does not decide for a text that is longer than a chunk', () => {
    const scanner = new LiteralScanner(new Map([['abc', [0]]]))
    expect(scanner.isPlainWithout('x'.repeat(CHUNK_UNITS))).toBe(true)
    expect(scanner.isPlainWithout('x'.repeat(CHUNK_UNITS + 1))).toBe(false)
    expect(scanner.isPlainWithout(`${'x'.repeat(CHUNK_UNITS - 3)}abc`)).toBe(false)
  })
})
