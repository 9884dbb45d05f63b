import { describe, expect, it } from 'vitest'
import { SETTINGS } from '../__fixtures__/models.ts'
import { validateRouterSettings } from '../validate-settings.ts'
import { validateSignals } from './read-settings.ts'
import type { RuleSettings } from './settings.ts'

const listPaths = (settings: object, expressions?: Parameters<typeof validateSignals>[1]) =>
  validateSignals({ ...SETTINGS, ...settings }, expressions).map(({ path }) => path.join('.'))

const USE = { use: 'big' }
const nest = (depth: number): object => (depth === 0 ? { hasTools: true } : { not: nest(depth - 1) })

describe('mistakes in rules', () => {
  it.each<[unknown, string]>([
    ['x', 'rules'],
    [['x'], 'rules.0'],
    [[USE], 'rules.0.when'],
    [[{ ...USE, when: {} }], 'rules.0.when'],
    [[{ ...USE, when: { keywords: 'x' } }], 'rules.0.when.keywords'],
    [[{ ...USE, when: { keyword: [] } }], 'rules.0.when.keyword'],
    [[{ ...USE, when: { keyword: ['ok', ' '] } }], 'rules.0.when.keyword.1'],
    [[{ ...USE, when: { keyword: '*' } }], 'rules.0.when.keyword'],
    [[{ ...USE, when: { keyword: 'x'.repeat(101) } }], 'rules.0.when.keyword'],
    [[{ ...USE, when: { keyword: Array.from({ length: 501 }, (_, index) => `w${index}`) } }], 'rules.0.when.keyword'],
    [[{ ...USE, when: { keyword: { words: 'x', in: 'first' } } }], 'rules.0.when.keyword.in'],
    [[{ ...USE, when: { keyword: { words: 'x', word: 'x' } } }], 'rules.0.when.keyword.word'],
    [[{ ...USE, when: { expression: 'x' } }], 'rules.0.when.expression'],
    [[{ ...USE, when: { expression: 5 } }], 'rules.0.when.expression'],
    [[{ ...USE, when: { promptLength: {} } }], 'rules.0.when.prompt_length'],
    [[{ ...USE, when: { promptLength: { min: -1 } } }], 'rules.0.when.prompt_length.min'],
    [[{ ...USE, when: { promptLength: { min: 5, max: 4 } } }], 'rules.0.when.prompt_length'],
    [[{ ...USE, when: { promptLength: { min: 5, unit: 'words' } } }], 'rules.0.when.prompt_length.unit'],
    [[{ ...USE, when: { language: 5 } }], 'rules.0.when.language'],
    [[{ ...USE, when: { hasImages: 'yes' } }], 'rules.0.when.has_images'],
    [[{ ...USE, when: { tag: {} } }], 'rules.0.when.tag'],
    [[{ ...USE, when: { tag: { team: 5 } } }], 'rules.0.when.tag.team'],
    [[{ ...USE, when: { group: [''] } }], 'rules.0.when.group.0'],
    [[{ ...USE, when: { time: { zone: 'Nowhere' } } }], 'rules.0.when.time.zone'],
    [[{ ...USE, when: { time: { from: 8 } } }], 'rules.0.when.time.from'],
    [[{ ...USE, when: { time: { days: [] } } }], 'rules.0.when.time.days'],
    [[{ ...USE, when: { remainingBudget: { max: 20 } } }], 'rules.0.when.remaining_budget.max'],
    [[{ ...USE, when: { health: { model: 'big', is: 'ill' } } }], 'rules.0.when.health.is'],
    [[{ ...USE, when: { health: 'healthy' } }], 'rules.0.when.health'],
    [[{ ...USE, when: { latency: { model: 'big' } } }], 'rules.0.when.latency'],
    [[{ ...USE, when: { latency: { minMs: 5 } } }], 'rules.0.when.latency'],
    [[{ ...USE, when: { label: 'code' } }], 'rules.0.when.label'],
    [[{ ...USE, when: { score: { min: 0.5 } } }], 'rules.0.when.score'],
    [[{ ...USE, when: { all: [] } }], 'rules.0.when.all'],
    [[{ ...USE, when: { any: { hasTools: true } } }], 'rules.0.when.any'],
    [[{ ...USE, when: { any: [{ hasTools: true }, {}] } }], 'rules.0.when.any.1'],
    [[{ ...USE, when: nest(8) }], `rules.0.when${'.not'.repeat(8)}`],
    [[{ ...USE, when: { all: Array.from({ length: 64 }, () => ({ hasTools: true })) } }], 'rules.0.when.all.63'],
    [[{ when: { hasTools: true } }], 'rules.0'],
    [[{ ...USE, only: ['mid'], when: { hasTools: true } }], 'rules.0'],
    [[{ use: 'huge', when: { hasTools: true } }], 'rules.0.use'],
    [[{ only: ['mid', 'huge'], when: { hasTools: true } }], 'rules.0.only'],
    [[{ only: ['mid'], at: 'after', when: { hasTools: true } }], 'rules.0.only'],
    [[{ skipClassifier: true, at: 'after', when: { hasTools: true } }], 'rules.0.skip_classifier'],
    [[{ skipClassifier: false, when: { hasTools: true } }], 'rules.0.skip_classifier'],
    [[{ ...USE, at: 'later', when: { hasTools: true } }], 'rules.0.at'],
    [[{ ...USE, name: '', when: { hasTools: true } }], 'rules.0.name'],
    [[{ ...USE, overridesSticky: 'x', when: { hasTools: true } }], 'rules.0.overrides_sticky'],
    [[{ ...USE, priority: 1, when: { hasTools: true } }], 'rules.0.priority'],
    [
      [
        { ...USE, name: 'a', when: { hasTools: true } },
        { ...USE, name: 'a', when: { hasTools: true } },
      ],
      'rules.1.name',
    ],
    [Array.from({ length: 65 }, () => ({ ...USE, when: { hasTools: true } })), 'rules'],
  ])('%#: %j', (rules, path) => {
    expect(listPaths({ rules })).toEqual([path])
  })

  it('takes seven levels, 64 parts and the fallback', () => {
    expect(listPaths({ rules: [{ ...USE, when: nest(7) }] })).toEqual([])
    const many = { all: Array.from({ length: 63 }, () => ({ hasTools: true })) }
    expect(listPaths({ rules: [{ use: 'spare', when: many }] })).toEqual([])
  })

  it('repeats the words of the engine for an expression that it does not take', () => {
    const expressions = {
      compile: () => {
        throw new Error('has a group that is not closed')
      },
    }
    const rules: RuleSettings[] = [{ use: 'big', when: { expression: '(' } }]
    expect(validateSignals({ ...SETTINGS, rules }, { expressions })).toEqual([
      { path: ['rules', 0, 'when', 'expression'], message: 'has a group that is not closed', stopsClassifier: true },
    ])
  })

  it('counts keywords and expressions over all rules', () => {
    const words = (name: string) => Array.from({ length: 300 }, (_, index) => `${name}${index}`)
    const rules = ['a', 'b'].map((name) => ({ ...USE, when: { keyword: words(name) } }))
    expect(listPaths({ rules })).toEqual(['rules.1.when.keyword'])
    const expressions = { compile: () => () => true }
    const patterns = Array.from({ length: 17 }, () => ({ ...USE, when: { expression: 'x' } }))
    expect(listPaths({ rules: patterns }, { expressions })).toEqual(['rules.16.when.expression'])
  })
})

it.each([
  [{ sticky: 5 }, 'sticky'],
  [{ sticky: { ttlSeconds: 0 } }, 'sticky.ttl_seconds'],
  [{ sticky: { maxConversations: 1.5 } }, 'sticky.max_conversations'],
  [{ sticky: { ttl: 5 } }, 'sticky.ttl'],
  [{ select: 'cheapest' }, 'select'],
  [{ select: {} }, 'select.by'],
  [{ select: { by: 'best' } }, 'select.by'],
  [{ select: { by: 'fastest', explore: 0.6 } }, 'select.explore'],
  [{ select: { by: 'cheapest', expectedOutputTokens: -1 } }, 'select.expected_output_tokens'],
])('%j: the mistake is at %s', (settings, path) => {
  expect(listPaths(settings)).toEqual([path])
})

it('settings without signals have no mistakes in them, and the other mistakes stay the same', () => {
  expect(validateSignals(SETTINGS)).toEqual([])
  expect(validateRouterSettings(SETTINGS)).toEqual([])
  expect(validateRouterSettings({ ...SETTINGS, rules: [] })).toEqual([])
})
