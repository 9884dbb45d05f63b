import { describe, expect, it } from 'vitest'
import { oracleMatches } from '../__fixtures__/oracle.ts'
import { acceptedPattern, Dice, nestedPattern, nestedText, randomText } from '../__fixtures__/random-patterns.ts'
import { parseUnanchored } from '../grammar.ts'
import { MatchList } from '../match-list.ts'
import { simplify } from '../simplify.ts'
import { SourceText } from '../source-text.ts'
import { createCountingAutomaton } from './counting-automaton.ts'
import { RegionSearch } from './region-search.ts'

/** Cases compared with the oracle; `SVC_LONG=1` takes 100,000. */
const CASES = process.env.SVC_LONG === '1' ? 100_000 : 1500

/** Lets a match begin anywhere; undefined for an unsupported pattern. */
function search(source: string, text: string): { spans: [number, number][]; pieces: number } | undefined {
  const automaton = createCountingAutomaton(simplify(parseUnanchored(source)))
  if (automaton === undefined) return undefined
  const matches = new MatchList()
  const anywhere = { mayBeginNext: () => true, isAllowed: () => true }
  const regions = new RegionSearch(automaton, new SourceText(text), matches, anywhere)
  let pieces = 0
  while (regions.position < text.length) {
    regions.begin(regions.position, -1)
    for (; regions.isUnderWay; pieces++) expect(regions.advance(text.length)).toBe(true)
  }
  return { spans: [...matches.spans()], pieces }
}

describe('agrees with the oracle', () => {
  it(`in ${CASES} cases of repeats inside of repeats`, () => {
    const dice = new Dice(31)
    let found = 0
    let refused = 0
    for (let cases = 0; cases < CASES; cases++) {
      const source = nestedPattern(dice)
      const text = nestedText(dice)
      const spans = search(source, text)?.spans
      const expected = oracleMatches(parseUnanchored(source), text)
      if (spans === undefined) refused++
      else if (JSON.stringify(spans) !== JSON.stringify(expected)) {
        expect({ source, text, spans }).toEqual({ source, text, spans: expected })
      }
      found += expected.length
    }
    expect(found).toBeGreaterThan(CASES)
    expect(refused).toBeLessThan(CASES / 20)
  }, 1_200_000)

  it.each(['small', 'large'] as const)('bounds: %s', (bounds) => {
    const dice = new Dice(bounds === 'small' ? 32 : 33)
    for (let round = 0; round < 800; round++) {
      const { source, node } = acceptedPattern(dice, bounds)
      const text = randomText(dice, bounds === 'small' ? 14 : 60)
      const spans = search(source, text)?.spans
      if (spans !== undefined) expect([source, text, spans]).toEqual([source, text, oracleMatches(node, text)])
    }
  })
})

describe('bounds of nests', () => {
  it.each([
    // The rounds of the outer loop are as few as the inner one allows.
    ['(?:a{0,64}b{0,64}){0,3}x', 'a'.repeat(192), 1],
    ['(?:a{0,64}b{0,64}){0,3}x', 'a'.repeat(193), 0],
    ['(?:(?:a|ab){30}c){3}x', `${'ab'.repeat(30)}c`.repeat(3), 1],
    ['(?:(?:a|ab){30}c){3}x', `${'ab'.repeat(29)}c`.repeat(3), 0],
    ['(?:[a-z]{1,40}[-_]){1,100}x', `${'a'.repeat(40)}-`.repeat(100), 1],
    ['(?:[a-z]{1,40}[-_]){100}x', 'a-'.repeat(99), 0],
    ['(?:a|bbb){4096}x', 'abbb'.repeat(2048), 1],
    ['(?:a|bbb){4096}x', 'abbb'.repeat(2047), 0],
  ])('%s', (pattern, text, count) => {
    const spans = search(`^${pattern}$`, `${text}x`)?.spans
    expect(spans).toHaveLength(count)
    expect(spans).toEqual(count === 0 ? [] : [[0, text.length + 1]])
  })
})

describe('long texts', () => {
  it('matches that can grow for long are not read again for each that comes after', () => {
    const text = 'abc'.repeat(20_000)
    const found = search('abc(?:(?:[a-z]{0,64}[0-9]{0,64}){0,4096}!)?', text)
    expect(found?.spans).toHaveLength(20_000)
    // About one piece for each two thousand characters and each of three readings.
    expect(found?.pieces).toBeLessThan(200)
  })

  it('a match that grows late replaces those inside it', () => {
    const source = 'abc(?:(?:[a-z]{0,64}[0-9]{0,64}){0,4096}!)?'
    for (const length of [63, 64, 65, 127, 300, 2730, 2731, 5000, 50_000]) {
      const text = `${'abc'.repeat(length)}!${'abc'.repeat(90)}`
      const rest = Array.from({ length: 90 }, (_, index) => length * 3 + 1 + index * 3)
      expect(search(source, text)?.spans).toEqual([
        [0, length * 3 + 1],
        ...rest.map((start): [number, number] => [start, start + 3]),
      ])
    }
  })

  it('positions inside surrogate pairs are none', () => {
    const text = `x${'🔑'.repeat(5000)}!${'🔑'.repeat(70)}`
    expect(search('🔑(?:(?:[^!]{0,64}b?){0,400}!)?', text)?.spans.slice(0, 2)).toEqual([
      [1, 10_002],
      [10_002, 10_004],
    ])
  })
})
