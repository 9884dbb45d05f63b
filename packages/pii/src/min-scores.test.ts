import { describe, expect, it } from 'vitest'
import { analyzeText } from './analyze.ts'
import { createDetector, type DetectorOptions } from './create-detector.ts'
import { createPatternDetector } from './pattern/late-detector.ts'
import type { DetectionSettings } from './settings.ts'

const TEXT = 'Ada in Bonn'
const FOUND = [
  { start: 0, end: 3, group: 'PER', score: 0.6 },
  { start: 7, end: 11, group: 'LOC', score: 0.6 },
]

async function find(settings: DetectionSettings, text = TEXT, classifier?: DetectorOptions['classifier']) {
  const detectors = [createDetector({ name: 'd', settings, classifier })]
  const { spans } = await analyzeText(text, { detectors, signal: new AbortController().signal })
  return spans.map(({ start, end }) => text.slice(start, end))
}

describe('a minimum score of a group', () => {
  it.each<[DetectionSettings, readonly string[]]>([
    [{ minScore: 0.5, entityMinScores: { LOC: 0.7 } }, ['Ada']],
    [{ minScore: 0.7, entityMinScores: { LOC: 0.6 } }, ['Bonn']],
    [{ entityMinScores: { LOC: 0.61, PER: 0.61 } }, []],
    [{ minScore: 0.6, entityMinScores: {} }, ['Ada', 'Bonn']],
  ])('counts in place of the common one: %o', async (settings, values) => {
    const asked: number[] = []
    const classifier = {
      classify: async (_: string, { minScore }: { readonly minScore: number }) => {
        asked.push(minScore)
        return FOUND.filter(({ score }) => score >= minScore)
      },
    }
    expect(await find(settings, TEXT, classifier)).toEqual(values)
    const { minScore = 0, entityMinScores = {} } = settings
    expect(asked[0]).toBeCloseTo(Math.min(minScore, ...Object.values(entityMinScores)))
  })

  it('holds for values that only a label speaks for', async () => {
    const text = 'credit card: 4111 1111 1111 1112, SSN: 000-12-3456'
    const builtins = ['credit_card', 'us_ssn'] as const
    expect(await find({ builtins }, text)).toHaveLength(2)
    expect(await find({ builtins, entityMinScores: { CREDITCARD: 0.61 } }, text)).toEqual(['000-12-3456'])
    expect(await find({ builtins, entityMinScores: { credit_card: 1, US_SSN: 0.6 } }, text)).toEqual(['000-12-3456'])
  })

  it.each<[DetectionSettings, string]>([
    [{ entityMinScores: { EMAIL: 1.1 } }, '1.1 is not a score'],
    [{ entityMinScores: { EMAIL: Number.NaN } }, 'is not a score'],
    [{ entityMinScores: { EMIAL: 0.5 } }, 'entity_min_scores["EMIAL"]: this detector reports no group of that name'],
    [{ operators: { EMAI: { keepLast: 1 } } }, 'it reports EMAIL'],
    [{ operators: { IBAN: { keepLast: 1 } } }, 'operators["IBAN"]'],
  ])('is refused where it cannot be: %o', async (settings, message) => {
    const builtins = ['email', 'phone'] as const
    expect(() => createDetector({ name: 'd', settings: { builtins, ...settings } })).toThrow(message)
    const classifier = { classify: async () => [], groups: ['PER'] }
    expect(() => createDetector({ name: 'd', settings: { builtins, ...settings }, classifier })).toThrow(message)
  })

  it('is refused by a detector of patterns alone', () => {
    const settings = { builtins: ['email'], entityMinScores: { EMIAL: 0.5 } } as const
    expect(() => createPatternDetector({ name: 'd', settings })).toThrow('entity_min_scores["EMIAL"]')
  })

  it('may name any group where a recogniser does not tell its own', () => {
    const classifier = { classify: async () => [] }
    expect(() =>
      createDetector({ name: 'd', settings: { operators: { ANY: { keepLast: 1 } } }, classifier }),
    ).not.toThrow()
  })
})
