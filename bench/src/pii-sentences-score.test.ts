import { STRUCTURED_NAMES } from '@svc/pii/names'
import { describe, expect, it } from 'vitest'
import { familyOfGroup, hasDetector, isOfKind, KINDS, kindOfGroup } from './pii-sentences-kinds.ts'
import { readMarked, type Sentence } from './pii-sentences-read.ts'
import { compare, f2, maskedWithoutValue, scoreFamily, scoreKind } from './pii-sentences-score.ts'

const sentence = (marked: string): Sentence => ({ language: 'en', genre: 'mail', line: 1, ...readMarked(marked) })

describe('kinds', () => {
  it('gives every structured group a structured kind', () => {
    for (const name of STRUCTURED_NAMES) {
      const group = name === 'credit_card' ? 'CREDITCARD' : name.toUpperCase()
      const kind = kindOfGroup(group) ?? ''
      expect(KINDS[kind]?.family, group).toBe('structured')
      expect(familyOfGroup(group)).toBe('structured')
    }
  })

  it('takes groups that no other kind names for identity numbers, and groups of secrets for any secret', () => {
    expect(kindOfGroup('BR_CPF')).toBe('NATIONAL_ID')
    expect(kindOfGroup('IP_ADDRESS')).toBe('IP_ADDRESS')
    expect(isOfKind('PASSWORD_ASSIGNMENT', 'TOKEN')).toBe(true)
    expect(isOfKind('PASSWORD_ASSIGNMENT', 'EMAIL')).toBe(false)
    expect(isOfKind('EMAIL', 'PASSWORD')).toBe(false)
  })

  it('takes an address for its postcode, but no postcode for an address', () => {
    expect(isOfKind('STREET_ADDRESS', 'POSTCODE')).toBe(true)
    expect(isOfKind('POSTCODE', 'STREET_ADDRESS')).toBe(false)
  })

  it('knows the kinds that a detector can find', () => {
    expect(hasDetector('EMAIL')).toBe(true)
    expect(hasDetector('BANK_ACCOUNT')).toBe(true)
    expect(hasDetector('PLATE')).toBe(true)
    expect(hasDetector('PASSWORD')).toBe(true)
  })
})

describe('compare', () => {
  const text = sentence('a [[PHONE|(212) 555-0142]] b [[OPTIONAL|127.0.0.1]] c')

  it('counts a label as found where every letter and digit is held, signs aside', () => {
    const { labels, findings } = compare(text, [{ start: 3, end: 16, group: 'PHONE' }])
    expect(labels).toEqual([{ label: text.labels[0], typed: true, untyped: true, touched: true }])
    expect(findings.map(({ verdict }) => verdict)).toEqual(['right'])
  })

  it('does not count a label that is held in part', () => {
    const { labels } = compare(text, [{ start: 2, end: 15, group: 'PHONE' }])
    expect(labels[0]).toMatchObject({ typed: false, untyped: false, touched: true })
  })

  it('unites findings, and tells those of another kind apart', () => {
    const { labels, findings } = compare(text, [
      { start: 2, end: 8, group: 'PHONE' },
      { start: 8, end: 16, group: 'US_SSN' },
    ])
    expect(labels[0]).toMatchObject({ typed: false, untyped: true })
    expect(findings.map(({ verdict }) => verdict)).toEqual(['right', 'other'])
  })

  it('tells false findings from those on optional values', () => {
    const { findings } = compare(text, [
      { start: 0, end: 1, group: 'PHONE' },
      { start: 19, end: 28, group: 'IP_ADDRESS' },
    ])
    expect(findings.map(({ verdict }) => verdict)).toEqual(['false', 'optional'])
  })

  it('holds letters outside of the basic plane whole', () => {
    const word = sentence('[[PASSWORD|𝐚𝐛]]')
    expect(compare(word, [{ start: 0, end: 3, group: 'SECRET' }]).labels[0]?.typed).toBe(false)
    expect(compare(word, [{ start: 0, end: 4, group: 'SECRET' }]).labels[0]?.typed).toBe(true)
  })
})

describe('scores', () => {
  const outcomes = [
    compare(sentence('[[PHONE|555 0142]] [[EMAIL|a@b.example]]'), [
      { start: 0, end: 8, group: 'PHONE' },
      { start: 9, end: 20, group: 'PHONE' },
    ]),
    compare(sentence('pin [[CODE|4471]]'), [{ start: 4, end: 8, group: 'PHONE' }]),
    compare(sentence('version 12 [[OPTIONAL|127.0.0.1]]'), [
      { start: 8, end: 10, group: 'PHONE' },
      { start: 11, end: 20, group: 'IP_ADDRESS' },
    ]),
  ]

  it('counts one kind', () => {
    expect(scoreKind(outcomes, 'PHONE')).toEqual({
      labels: 1,
      typedRecall: 1,
      untypedRecall: 1,
      findings: 4,
      typedPrecision: 0.25,
      untypedPrecision: 0.75,
      f2: 0.625,
    })
    expect(scoreKind(outcomes, 'EMAIL')).toMatchObject({ typedRecall: 0, untypedRecall: 1, findings: 0, f2: 0 })
  })

  it('counts a family', () => {
    expect(scoreFamily(outcomes, 'structured')).toMatchObject({ labels: 2, typedRecall: 0.5, findings: 4 })
    expect(scoreFamily(outcomes, 'secrets')).toMatchObject({ labels: 1, typedRecall: 0, untypedRecall: 1, findings: 0 })
  })

  it('counts what is masked where nothing is private, optional values aside', () => {
    expect(maskedWithoutValue(outcomes)).toEqual({ masked: 2, characters: 20 })
  })

  it('weighs recall four times as heavy as precision', () => {
    expect(f2(1, 1)).toBe(1)
    expect(f2(0, 0)).toBe(0)
    expect(f2(0.5, 1)).toBeCloseTo(5 / 6)
    expect(f2(1, 0.5)).toBeCloseTo(5 / 9)
  })
})
