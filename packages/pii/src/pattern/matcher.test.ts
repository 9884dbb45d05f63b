import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { oracleMatches } from './__fixtures__/oracle.ts'
import { acceptedPattern, Dice, nestedPattern, nestedText, randomText } from './__fixtures__/random-patterns.ts'
import { byteOffset, listRecords } from './__fixtures__/records.ts'
import { CompiledPattern } from './compiled-pattern.ts'
import { parsePattern } from './grammar.ts'
import { CHUNK_UNITS } from './literal-scanner.ts'
import { PatternMatcher } from './matcher.ts'

/** Cases compared with the oracle; `SVC_LONG=1` takes 100,000. */
const CASES = process.env.SVC_LONG === '1' ? 100_000 : 2000

function findSpans(source: string, text: string, segments?: { start: number; end: number }[]): [number, number][] {
  const matcher = new PatternMatcher([new CompiledPattern(source)])
  return matcher.match(text, segments).map(({ start, end }) => [start, end])
}

describe('leftmost-longest matches', () => {
  it.each(listRecords('spans'))('$group: $pattern in $text', ({ pattern, text, spans, min_len = 0 }) => {
    const found = findSpans(pattern, text).map(([start, end]) => [byteOffset(text, start), byteOffset(text, end)])
    expect(found.filter(([start = 0, end = 0]) => end - start >= min_len)).toEqual(spans)
  })

  it(`agree with the oracle in ${CASES} random cases`, () => {
    const dice = new Dice(51)
    let found = 0
    for (let cases = 0; cases < CASES; ) {
      const { source, node } = acceptedPattern(dice, 'small')
      const matcher = new PatternMatcher([new CompiledPattern(source)])
      for (let round = 0; round < 4; round++, cases++) {
        const text = randomText(dice, 14)
        const expected = oracleMatches(node, text)
        const spans = matcher.match(text).map(({ start, end }) => [start, end])
        if (JSON.stringify(spans) !== JSON.stringify(expected)) {
          expect({ source, text, spans }).toEqual({ source, text, spans: expected })
        }
        found += expected.length
      }
    }
    expect(found).toBeGreaterThan(CASES / 20)
  }, 1_200_000)

  it('agree with the oracle where repeats are inside of repeats, behind a literal, in front of it and around it', () => {
    const dice = new Dice(57)
    let found = 0
    for (let round = 0; round < 600; round++) {
      const [before, after] = [nestedPattern(dice), nestedPattern(dice)]
      const source = dice.pick([`abc(?:${after})`, `(?:${before})abc`, `(?:${before})abc(?:${after})`])
      const text = `${nestedText(dice)}abc${nestedText(dice)}`
      const expected = oracleMatches(parsePattern(source), text)
      expect([source, text, findSpans(source, text)]).toEqual([source, text, expected])
      found += expected.length
    }
    expect(found).toBeGreaterThan(60)
  })

  it('are the same for many patterns at once as for each alone', () => {
    const dice = new Dice(52)
    const sources = Array.from({ length: 60 }, () => acceptedPattern(dice, 'large').source)
    const together = new PatternMatcher(sources.map((source) => new CompiledPattern(source)))
    for (let round = 0; round < 20; round++) {
      const text = randomText(dice, 300)
      const alone = sources.flatMap((source, pattern) =>
        findSpans(source, text).map(([start, end]) => ({ pattern, start, end })),
      )
      expect(together.match(text)).toEqual(alone)
    }
  })
})

describe('long texts', () => {
  it.each(['tok-[a-z]{8,}', '[a-z]{2,5}-tok', '\\w+secret(?:-\\d+)?', '(?:ab|cd)+tok-x', 'tok-\\w{300,4096}end'])(
    '%s: matches across and beside the edges of chunks are found whole',
    (source) => {
      const hit = 'abcd-tok-abcdefghij cdabtok-x mysecret-123 '
      const long = `tok-${'w'.repeat(350)}end `
      for (const shift of [-60, -31, -8, -3, -1, 0, 1, 5, 40]) {
        const text = `${'. '.repeat((CHUNK_UNITS + shift) >> 1)}${hit}${long}${'. '.repeat(CHUNK_UNITS)}${hit}`
        const pieces = findSpans(source, text).map(([start, end]) => text.slice(start, end))
        const expected = [hit, long, hit].flatMap((part) =>
          oracleMatches(parsePattern(source), part).map(([start, end]) => part.slice(start, end)),
        )
        expect(pieces).toEqual(expected)
      }
    },
  )

  it('a single match may be longer than many chunks', () => {
    const text = `id ${'tok-'}${'a'.repeat(CHUNK_UNITS * 5)} end`
    expect(findSpans('tok-[a-z]+', text)).toEqual([[3, 7 + CHUNK_UNITS * 5]])
  })

  it('no match is left out, for any number of matches', () => {
    expect(findSpans('tok-\\d', 'tok-1 '.repeat(50_000))).toHaveLength(50_000)
  })

  it('limits repeated reading: the matches are the same after the change of method', () => {
    // Each attempt from a prefix runs to the end of the text: the matcher must switch to reading everything once.
    const text = `${'abc'.repeat(6000)}#${'abc'.repeat(6000)}!`
    expect(findSpans('abc(?:[^!#]*!)?', text)).toEqual([
      ...Array.from({ length: 6000 }, (_, index) => [index * 3, index * 3 + 3]),
      [18_001, 36_002],
    ])
    expect(findSpans('abc(?:[a-c]*!)', 'abc'.repeat(9000))).toEqual([])
  })

  it('tries that look far ahead end where they must, also where an earlier one looked in vain', () => {
    const dice = new Dice(55)
    for (let round = 0; round < 150; round++) {
      const { source, node } = acceptedPattern(dice, 'small')
      const text = `${randomText(dice, 300)}${dice.pick(['abc', 'aab', 'a-b'])}${'ab'.repeat(dice.roll(90))}${randomText(dice, 300)}`
      expect([source, text, findSpans(source, text)]).toEqual([source, text, oracleMatches(node, text)])
    }
    const far = `${'abc-'.repeat(200)}${'abc'.repeat(300)}#${'abc-'.repeat(100)}!abc`
    for (const source of [
      'abc(?:[^!#]*[!#])?',
      'abc(?:-abc)*#',
      'abc[a-c-]{40,400}!',
      'abc(?:[a-c-]{0,90}#|[^#]*!abc)?',
    ]) {
      expect(findSpans(source, far)).toEqual(oracleMatches(parsePattern(source), far))
    }
  })

  it('a flush of the automaton anywhere in a match loses nothing of it', () => {
    const dice = new Dice(56)
    const noise = Array.from({ length: 40_000 }, () => dice.pick(['a', 'b'])).join('')
    const source = 'key[ab]*a[ab]{15}x'
    const matcher = new PatternMatcher([new CompiledPattern(source)])
    for (const length of [4080, 4090, 4096, 4100, 8190, 12_290, 16_384, 20_480, 33_000]) {
      const text = `key${noise.slice(0, length)}a${'b'.repeat(15)}x`
      expect(matcher.match(text)).toEqual([{ pattern: 0, start: 0, end: text.length }])
    }
  })

  it('an automaton that would need too many states gives way', () => {
    const source = 'key[ab]*a[ab]{15}x'
    const dice = new Dice(53)
    const noise = Array.from({ length: 60_000 }, () => dice.pick(['a', 'b'])).join('')
    const text = `key${noise}a${'b'.repeat(15)}x`
    expect(findSpans(source, text)).toEqual([[0, text.length]])
  })
})

describe('segments', () => {
  const join = (segments: readonly string[]) => {
    const spans: { start: number; end: number }[] = []
    let start = 0
    for (const segment of segments) {
      spans.push({ start, end: start + segment.length })
      start += segment.length + 2
    }
    return { text: segments.join('\n\n'), spans }
  }

  it.each(listRecords('segments'))('$segments: $pattern', ({ segments, pattern, expected }) => {
    const { text, spans } = join(segments)
    const found = findSpans(pattern, text, spans)
    const cut = spans.map((segment) =>
      found
        .map(([start, end]) => [Math.max(start, segment.start), Math.min(end, segment.end)])
        .filter(([start = 0, end = 0]) => start < end)
        .map(([start = 0, end = 0]) => [start - segment.start, end - segment.start]),
    )
    expect(cut).toEqual(expected)
  })

  it('edges agree with the oracle', () => {
    const dice = new Dice(54)
    for (let round = 0; round < 2000; round++) {
      const source = `${dice.pick(['^', '', '^?'])}${dice.pick(['abc', 'aab', '[ab]*abc', 'abc|^aab'])}${dice.pick(['$', '', 'a*$'])}`
      const { text, spans } = join([0, 1, 2].map(() => randomText(dice, 4).replaceAll(/[\ud800-\udfff]/g, 'a')))
      expect([source, text, findSpans(source, text, spans)]).toEqual([
        source,
        text,
        oracleMatches(parsePattern(source), text, spans),
      ])
    }
  })
})

describe('a search in pieces', () => {
  const matcher = new PatternMatcher(['tok-\\w+', '\\w+secret', 'abc$'].map((source) => new CompiledPattern(source)))

  it('finds the matches of a single search, in at least as many pieces as the text has chunks', () => {
    const text = 'tok-abc mysecret abc '.repeat(10_000)
    const scan = matcher.scan(text)
    let pieces = 1
    while (!scan.advance()) pieces++
    expect(pieces).toBeGreaterThan(text.length / CHUNK_UNITS)
    expect(scan.matches()).toEqual(matcher.match(text))
    expect(scan.advance()).toBe(true)
  })

  it('searches that take turns do not disturb one another', () => {
    const text = (index: number): string => `${'x '.repeat(index * 3000)}tok-a${index} my${'secret '.repeat(3000)}abc`
    const scans = [1, 2, 3, 4].map((index) => matcher.scan(text(index)))
    while (!scans.map((scan) => scan.advance()).every((done) => done)) {
      // All of them, a piece at a time.
    }
    for (const [index, scan] of scans.entries()) expect(scan.matches()).toEqual(matcher.match(text(index + 1)))
  })
})

it('offsets never cut a character, and no match overlaps the one before', () => {
  fc.assert(
    fc.property(
      fc.string({ unit: 'binary', maxLength: 40 }),
      fc.constantFrom('a[^x]abc', '[^a]+abc', 'abc\\W*'),
      (noise, source) => {
        const text = `${noise}abc${noise}🔑abc`
        let last = 0
        for (const [start, end] of findSpans(`${source}|🔑abc`, text)) {
          expect(start).toBeGreaterThanOrEqual(last)
          expect(end).toBeGreaterThan(start)
          for (const at of [start, end]) {
            const pair = text.codePointAt(at - 1) ?? 0
            expect(at > 0 && at < text.length && pair > 0xffff).toBe(false)
          }
          last = end
        }
      },
    ),
    { numRuns: process.env.SVC_LONG === '1' ? 5000 : 200 },
  )
})
