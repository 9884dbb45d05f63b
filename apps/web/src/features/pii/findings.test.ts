import { describe, expect, it } from 'vitest'
import {
  type Action,
  cutAtSpans,
  type Entity,
  joinOverlaps,
  judge,
  locateFindings,
  maskSpans,
  tryOn,
} from './findings.ts'

const TEXT = 'Café: Ada Byron, ada@host.example'

function entity(match: string, action: Action, more: Partial<Entity> = {}): Entity {
  const encoder = new TextEncoder()
  const start = encoder.encode(TEXT.slice(0, TEXT.indexOf(match))).length
  const end = start + encoder.encode(match).length
  return { entity_type: 'PERSON', source: 'ner', start, end, score: 0.9, action, ...more }
}

const join = (...entities: Entity[]) => joinOverlaps(locateFindings(TEXT, entities))

describe('findings', () => {
  it('takes excerpts from the text by byte offsets', () => {
    const found = locateFindings(TEXT, [entity('ada@host.example', 'mask'), entity('Ada Byron', 'mask')])
    expect(found.map(({ excerpt }) => excerpt)).toEqual(['Ada Byron', 'ada@host.example'])
  })

  it('tells which findings were not checked', () => {
    const found = locateFindings(TEXT, [
      entity('Ada Byron', 'mask', { checked: false }),
      entity('ada@host.example', 'mask'),
    ])
    expect(found.map(({ isUnchecked }) => isUnchecked)).toEqual([true, false])
  })

  it('leaves out a finding that begins inside a character', () => {
    expect(locateFindings(TEXT, [{ ...entity('Ada', 'mask'), start: 4 }])).toEqual([])
  })

  it('lets the strongest action win where findings overlap, on the text of all', () => {
    const [span, ...others] = join(entity('Ada', 'allow', { entity_type: 'FIRST' }), entity('Ada Byron', 'mask'))
    expect(others).toEqual([])
    expect(span?.winner.type).toBe('PERSON')
    expect(span?.losers.map(({ type }) => type)).toEqual(['FIRST'])
    expect(TEXT.slice(span?.start, span?.end)).toBe('Ada Byron')
  })

  it('keeps findings apart that only touch', () => {
    expect(join(entity('Ada', 'mask'), entity(' Byron', 'mask'))).toHaveLength(2)
  })

  it('masks spans and nothing else', () => {
    const spans = join(entity('Ada Byron', 'allow'), entity('ada@host.example', 'mask', { entity_type: 'EMAIL' }))
    expect(maskSpans(TEXT, spans)).toBe('Café: Ada Byron, [REDACTED:ner:EMAIL]')
    expect(
      cutAtSpans(TEXT, spans)
        .map(({ text }) => text)
        .join(''),
    ).toBe(TEXT)
  })

  it('judges a request by its strongest span', () => {
    expect(judge([]).verdict).toBe('clean')
    expect(judge(join(entity('Ada', 'allow'))).verdict).toBe('allowed')
    expect(judge(join(entity('Ada', 'allow'), entity('Byron', 'mask'))).verdict).toBe('masked')
    expect(judge(join(entity('Ada', 'block'), entity('Byron', 'mask')))).toEqual({
      verdict: 'blocked',
      counts: { block: 1, mask: 1, allow: 0 },
    })
  })

  it('tries a score on findings of models alone, and other actions by type', () => {
    const found = locateFindings(TEXT, [
      entity('Ada', 'mask', { score: 0.4 }),
      entity('Byron', 'mask', { score: 0.4, source: 'pattern', entity_type: 'NAME' }),
    ])
    const tried = tryOn(found, { minScore: 0.5, actions: { NAME: 'block' } })
    expect(tried.map(({ excerpt, action }) => [excerpt, action])).toEqual([['Byron', 'block']])
  })
})
