import fc from 'fast-check'
import { expect, it } from 'vitest'
import { KnownHits } from './known-hits.ts'

const hit = fc.record({ start: fc.nat(20), end: fc.nat(30), rule: fc.constantFrom('a', 'b', 'c') })
/** Hits as a search returns them: rule by rule, in the order of the text. */
const search = fc
  .array(hit, { maxLength: 12 })
  .map((hits) => hits.toSorted((one, other) => one.rule.localeCompare(other.rule) || one.start - other.start))

it('knows the hits of several searches, and no others', () => {
  const property = fc.property(fc.array(search, { maxLength: 4 }), hit, (searches, asked) => {
    const hits = searches.flat()
    const isAmong = hits.some(
      ({ start, end, rule }) => start === asked.start && end === asked.end && rule === asked.rule,
    )
    const known = new KnownHits(hits)
    expect(known.isNew(asked, asked.rule)).toBe(!isAmong)
    for (const one of hits) expect(known.isNew(one, one.rule)).toBe(false)
  })
  fc.assert(property, { numRuns: 2000 })
})
