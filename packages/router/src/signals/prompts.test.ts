import { createFakeClock } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createWordScorer } from '../__fixtures__/models.ts'
import { createRouter } from '../router.ts'
import type { RouterSettings } from '../settings.ts'
import { createSignals } from './create-signals.ts'
import type { ExpressionEngine, RequestFacts } from './facts.ts'
import { createLatencies } from './latencies.ts'

/** Monday, 12 January 2026, 10:00 in Berlin. */
const MORNING = Date.parse('2026-01-12T09:00:00Z')
const NIGHT = Date.parse('2026-01-12T22:30:00Z')

/** The patterns of this test, written out: the engine is the host's. */
const EXPRESSIONS: ExpressionEngine = {
  compile(pattern) {
    if (pattern !== '\\bCVE-\\d{4}-\\d+') throw new Error('is not of this test')
    return (text) => /\bCVE-\d{4}-\d+/.test(text)
  },
}

const SETTINGS: RouterSettings = {
  classifierModel: 'classifier',
  activationThreshold: 0.5,
  policies: [
    { label: 'code', description: 'Writing and fixing programs' },
    { label: 'math', description: 'Sums and proofs' },
    { label: 'chat', description: 'Everything else' },
  ],
  candidates: [
    { model: 'small', labels: ['chat'] },
    { model: 'coder', labels: ['chat', 'code'] },
    { model: 'big', labels: ['chat', 'code', 'math'] },
    { model: 'vision', labels: [] },
    { model: 'local', labels: ['chat', 'code', 'math'] },
    { model: 'east', labels: [] },
  ],
  fallback: 'spare',
  rules: [
    {
      name: 'secret',
      when: {
        any: [
          { keyword: ['confidential', 'streng geheim', 'confidentiel', '机密', '社外秘'] },
          { group: ['legal', 'hr'] },
        ],
      },
      only: ['local'],
      overridesSticky: true,
    },
    { name: 'pictures', when: { hasImages: true, not: { tag: { media: 'ignore' } } }, use: 'vision' },
    { name: 'east', when: { language: ['ja', 'zh', 'ko'] }, use: 'east' },
    { name: 'advisory', when: { expression: { pattern: '\\bCVE-\\d{4}-\\d+', in: 'newest' } }, use: 'coder' },
    { name: 'long', when: { promptLength: { min: 1_000 } }, use: 'big' },
    { name: 'poor', when: { all: [{ remainingBudget: { max: 0.1 } }, { not: { group: 'staff' } }] }, use: 'small' },
    {
      name: 'night',
      when: { time: { days: 'mon-fri', from: '22:00', to: '06:00', zone: 'Europe/Berlin' } },
      skipClassifier: true,
    },
    { name: 'agents', when: { hasTools: true, tag: { team: ['a', 'b'], feature: '*' } }, use: 'big' },
    { name: 'unsure', at: 'after', when: { score: { max: 0.9 }, label: ['code', 'chat'] }, use: 'big' },
    { name: 'ill', at: 'after', when: { health: 'unhealthy' }, use: 'local' },
    { name: 'slow', at: 'after', when: { label: 'code', latency: { model: 'coder', minMs: 2_000 } }, use: 'local' },
  ],
}

interface Row {
  readonly prompt: string
  readonly facts?: RequestFacts
  readonly now?: number
  readonly ill?: readonly string[]
  readonly slow?: readonly string[]
  readonly served: string
  /** Names of the rules that fire. */
  readonly rules?: readonly string[]
}

const ROWS: readonly Row[] = [
  // The classifier decides.
  { prompt: 'a chat about the weather', served: 'small' },
  { prompt: 'fix this code', served: 'coder' },
  { prompt: 'do some math', served: 'big' },
  { prompt: 'fix this code', facts: { hasImages: false, hasTools: false, tags: {}, groups: [] }, served: 'coder' },
  // Words, in several languages.
  { prompt: 'This is CONFIDENTIAL: chat about it', served: 'local', rules: ['secret'] },
  { prompt: 'Das ist streng\ngeheim, chat', served: 'local', rules: ['secret'] },
  { prompt: 'un document confidentiel, chat', served: 'local', rules: ['secret'] },
  { prompt: 'confidentiality in a chat', served: 'small' },
  { prompt: 'streng, aber nicht geheim, chat', served: 'small' },
  // A restriction binds the rules after it.
  { prompt: '请把这份机密文件翻译成英文', served: 'local', rules: ['secret'] },
  { prompt: 'この社外秘の資料を要約してください', served: 'local', rules: ['secret'] },
  // Groups and tags.
  { prompt: 'some code', facts: { groups: ['legal'] }, served: 'local', rules: ['secret'] },
  { prompt: 'some code', facts: { groups: ['sales', 'hr'] }, served: 'local', rules: ['secret'] },
  { prompt: 'some code', facts: { groups: ['sales'] }, served: 'coder' },
  { prompt: 'a chat', facts: { hasTools: true, tags: { team: 'a', feature: 'x' } }, served: 'big', rules: ['agents'] },
  { prompt: 'a chat', facts: { hasTools: true, tags: { team: 'b', feature: '' } }, served: 'big', rules: ['agents'] },
  { prompt: 'a chat', facts: { hasTools: true, tags: { team: 'c', feature: 'x' } }, served: 'small' },
  { prompt: 'a chat', facts: { hasTools: true, tags: { team: 'a' } }, served: 'small' },
  { prompt: 'a chat', facts: { hasTools: false, tags: { team: 'a', feature: 'x' } }, served: 'small' },
  { prompt: 'a chat', facts: { tags: { constructor: 'a', team: 'a' } }, served: 'small' },
  // Pictures. An unknown tag leaves the rule unknown: it does not fire.
  { prompt: 'a chat', facts: { hasImages: true, tags: {} }, served: 'vision', rules: ['pictures'] },
  { prompt: 'a chat', facts: { hasImages: true, tags: { media: 'ignore' } }, served: 'small' },
  { prompt: 'a chat', facts: { hasImages: true }, served: 'small' },
  { prompt: 'confidential', facts: { hasImages: true, tags: {} }, served: 'local', rules: ['secret'] },
  // Languages.
  { prompt: 'このコードを直してください', served: 'east', rules: ['east'] },
  { prompt: '为什么天空是蓝色的？', served: 'east', rules: ['east'] },
  { prompt: '이 코드를 고쳐 주세요', served: 'east', rules: ['east'] },
  { prompt: 'Warum ist der Himmel blau? ein chat', served: 'small' },
  // Expressions.
  { prompt: 'Is CVE-2021-44228 bad? chat', served: 'coder', rules: ['advisory'] },
  { prompt: 'Is CVE-44228 bad? chat', served: 'small' },
  // Length: an estimate, or the host's figure.
  { prompt: `chat ${'word '.repeat(900)}`, served: 'big', rules: ['long'] },
  { prompt: `chat ${'word '.repeat(700)}`, served: 'small' },
  { prompt: 'chat', facts: { promptTokens: 1_000 }, served: 'big', rules: ['long'] },
  { prompt: 'chat', facts: { promptTokens: 999 }, served: 'small' },
  // Budgets. What the host does not know fires nothing, `not` included.
  { prompt: 'math', facts: { remainingBudget: 0.05, groups: [] }, served: 'small', rules: ['poor'] },
  { prompt: 'math', facts: { remainingBudget: 0.1, groups: ['sales'] }, served: 'small', rules: ['poor'] },
  { prompt: 'math', facts: { remainingBudget: 0.05, groups: ['staff'] }, served: 'big' },
  { prompt: 'math', facts: { remainingBudget: 0.5, groups: [] }, served: 'big' },
  { prompt: 'math', facts: { remainingBudget: 0.05 }, served: 'big' },
  { prompt: 'math', facts: { groups: [] }, served: 'big' },
  // At night the first candidate serves, and nothing is classified.
  { prompt: 'math', now: NIGHT, served: 'small', rules: ['night'] },
  { prompt: 'confidential math', now: NIGHT, served: 'local', rules: ['secret', 'night'] },
  // After the classifier: two labels share the score; health and latency of the chosen model.
  { prompt: 'code or chat', served: 'big', rules: ['unsure'] },
  { prompt: 'chat', ill: ['small'], served: 'local', rules: ['ill'] },
  { prompt: 'code', ill: ['small'], served: 'coder' },
  { prompt: 'code', slow: ['coder'], served: 'local', rules: ['slow'] },
  { prompt: 'math', slow: ['coder'], served: 'big' },
  // No label is known: the fallback, and rules after it.
  { prompt: 'code', ill: ['coder'], slow: ['coder'], served: 'local', rules: ['ill'] },
]

it('routes each prompt of the table, and names the rules that fired', async () => {
  expect(ROWS.length).toBeGreaterThanOrEqual(40)
  for (const { prompt, facts, now = MORNING, ill = [], slow = [], served, rules } of ROWS) {
    const clock = createFakeClock({ now })
    const latencies = createLatencies()
    for (const model of slow) latencies.record(model, { firstTokenMs: 5_000 }, clock.monotonic())
    const targets = { describe: (model: string) => ({ isHealthy: !ill.includes(model) }) }
    const signals = createSignals({ settings: SETTINGS, targets, latencies, expressions: EXPRESSIONS, clock })
    const router = createRouter({ name: 'auto', settings: SETTINGS, scorer: createWordScorer(), signals, clock })
    expect(router.problems).toEqual([])
    const decision = await router.decide(prompt, { facts })
    const fired = decision.rules?.map(({ name }) => name)
    expect([decision.servedModel, fired], prompt.slice(0, 60)).toEqual([served, rules])
    expect(decision.usedFallback).toBe(false)
  }
})
