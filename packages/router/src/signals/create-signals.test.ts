import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createWordScorer, SETTINGS } from '../__fixtures__/models.ts'
import { createProbe } from '../probe/probe.ts'
import { createRouter, type RouterOptions } from '../router.ts'
import type { RouterSettings } from '../settings.ts'
import { createSignals, type SignalsOptions } from './create-signals.ts'
import { createLatencies } from './latencies.ts'

function build(
  settings: Partial<RouterSettings>,
  options: Partial<SignalsOptions> & Pick<RouterOptions, 'scorer' | 'directory'> = {},
) {
  const all = { ...SETTINGS, ...settings }
  const { scorer = createWordScorer(), directory, ...rest } = options
  const signals = createSignals({ settings: all, clock: createFakeClock(), ...rest })
  return createRouter({ name: 'auto', settings: all, scorer, directory, signals })
}

/** A scorer that counts its calls. */
function countCalls() {
  const scorer = createWordScorer()
  return { scorer, calls: () => scorer.prompts.length }
}

describe('rules', () => {
  it('a rule before the classifier decides, and no model is asked', async () => {
    const { scorer, calls } = countCalls()
    const router = build({ rules: [{ name: 'hi', when: { keyword: 'hello' }, use: 'big' }] }, { scorer })
    const decision = await router.decide('Hello chat')
    expect(decision).toMatchObject({
      servedModel: 'big',
      reason: 'rule',
      classifier: 'none',
      label: '',
      labels: [],
      usedFallback: false,
      rules: [
        {
          name: 'hi',
          at: 'before',
          effect: { kind: 'use', model: 'big' },
          signals: [{ signal: 'keyword', value: 'hello' }],
        },
      ],
    })
    expect(calls()).toBe(0)
  })

  it('without a rule that fires, the decision is that of a router without rules', async () => {
    const rules = [{ when: { keyword: 'nothing like it' }, use: 'big' }]
    for (const prompt of ['chat', 'code', 'math', 'code and math', '']) {
      const plain = await createRouter({ name: 'auto', settings: SETTINGS, scorer: createWordScorer() }).decide(prompt)
      const ruled = await build({ rules }).decide(prompt)
      expect({ ...ruled, latencyMs: 0 }).toEqual({ ...plain, latencyMs: 0 })
    }
  })

  it('a restriction holds for labels and for the fallback', async () => {
    const rules = [
      { when: { keyword: 'one' }, only: ['mid', 'big'] },
      { when: { keyword: 'two' }, only: ['small', 'mid'] },
    ]
    const router = build({ rules })
    expect(await router.decide('one chat')).toMatchObject({ servedModel: 'mid', reason: 'covered', label: 'chat' })
    expect(await router.decide('one two chat')).toMatchObject({ servedModel: 'mid' })
    // The fallback is not among the two: the first that is left serves in its place.
    expect(await router.decide('one two math')).toMatchObject({
      servedModel: 'mid',
      reason: 'not-covered',
      usedFallback: true,
      label: 'fallback',
    })
    expect(await router.decide('math')).toMatchObject({ servedModel: 'big', rules: undefined })
  })

  it('a restriction binds later rules, the fallback of a failed classifier and sticky conversations', async () => {
    let isUp = true
    const words = createWordScorer()
    const scorer: RouterOptions['scorer'] = {
      score: (request, call) => (isUp ? words.score(request, call) : Promise.reject(new Error('down'))),
    }
    const rules = [
      { when: { keyword: 'private' }, only: ['mid', 'spare'] },
      { when: { group: 'staff' }, only: ['mid'] },
      { when: { group: 'none' }, only: ['big'] },
      { when: { keyword: 'large' }, use: 'big' },
      { at: 'after' as const, when: { keyword: 'later' }, use: 'big' },
    ]
    const router = build({ rules, sticky: {} }, { scorer })
    const decide = async (prompt: string, facts = {}) => (await router.decide(prompt, { facts })).servedModel
    expect(await decide('code large')).toBe('big')
    expect(await decide('code large private')).toBe('mid')
    expect(await decide('code private later')).toBe('mid')
    expect(await decide('math', { conversation: 'x' })).toBe('big')
    expect(await decide('math private', { conversation: 'x' })).toBe('spare')
    isUp = false
    expect(await decide('private')).toBe('spare')
    expect(await decide('private', { groups: ['staff'] })).toBe('mid')
    await expect(decide('private', { groups: ['staff', 'none'] })).rejects.toMatchObject({ code: 'router_no_fallback' })
  })

  it('a rule after the classifier replaces its choice, and keeps its labels', async () => {
    const router = build({ rules: [{ at: 'after', when: { label: 'code' }, use: 'big' }] })
    expect(await router.decide('code')).toMatchObject({
      servedModel: 'big',
      reason: 'rule',
      classifier: 'score',
      label: 'code',
      rules: [{ name: 'rule 1', at: 'after' }],
    })
    expect(await router.decide('math')).toMatchObject({ servedModel: 'big', reason: 'covered', rules: undefined })
  })

  it('a rule may use the fallback, and serves where the classifier fails', async () => {
    const scorer = { score: () => Promise.reject(new Error('gone')) }
    const rules = [
      { when: { keyword: 'spare' }, use: 'spare' },
      { at: 'after' as const, when: { keyword: 'rescue' }, use: 'small' },
    ]
    const router = build({ rules }, { scorer })
    expect(await router.decide('to the spare')).toMatchObject({ servedModel: 'spare', reason: 'rule' })
    expect(await router.decide('rescue me')).toMatchObject({ servedModel: 'small', reason: 'rule' })
    expect(await router.decide('x')).toMatchObject({
      servedModel: 'spare',
      reason: 'classifier-failed',
      classifier: 'score',
    })
  })

  it('rules before a classifier that cannot be built decide; without one, the fallback serves', async () => {
    const settings = { ...SETTINGS, rules: [{ when: { keyword: 'hello' }, use: 'big' }] }
    const router = createRouter({ name: 'auto', settings, signals: createSignals({ settings }) })
    expect(router.problems).toHaveLength(1)
    expect(await router.decide('hello')).toMatchObject({ servedModel: 'big', reason: 'rule' })
    expect(await router.decide('bye')).toMatchObject({
      servedModel: 'spare',
      reason: 'no-classifier',
      classifier: 'fallback',
    })
  })

  it('a rule never picks a router or a missing model', async () => {
    const rules = [
      { when: { keyword: 'big' }, use: 'big' },
      { when: { keyword: 'spare' }, use: 'spare' },
    ]
    const kinds: Readonly<Record<string, 'router' | 'missing'>> = { big: 'router', spare: 'missing' }
    const router = build({ rules }, { directory: { find: (name) => kinds[name] ?? 'model' } })
    await expect(router.decide('big')).rejects.toMatchObject({ code: 'router_depth' })
    await expect(router.decide('spare')).rejects.toMatchObject({ code: 'router_model_missing' })
  })

  it('settings with rules need their signals: the fallback serves without them', async () => {
    const settings = { ...SETTINGS, rules: [{ when: { keyword: 'x' }, use: 'big' }] }
    const router = createRouter({ name: 'auto', settings, scorer: createWordScorer() })
    expect(router.problems).toMatchObject([{ path: ['rules'], stopsClassifier: true }])
    expect(await router.decide('code')).toMatchObject({ servedModel: 'spare', reason: 'no-classifier' })
  })

  it('with a mistake in one rule, no rule is tried and the fallback serves', async () => {
    const rules = [
      { when: { keyword: 'hello' }, use: 'big' },
      { when: { keyword: 'hello' }, use: 'huge' },
    ]
    const router = build({ rules })
    expect(router.problems).toMatchObject([{ path: ['rules', 1, 'use'] }])
    expect(await router.decide('hello code')).toMatchObject({ servedModel: 'spare', reason: 'no-classifier' })
  })

  it('an explanation holds no word of the prompt but those of its rule', async () => {
    const rules = [
      { when: { any: [{ keyword: ['key*', 'lock'] }], promptLength: { max: 50 }, language: 'en' }, use: 'big' },
    ]
    const { rules: fired } = await build({ rules }).decide('Where is the keyboard of my grandmother?')
    expect(fired?.[0]?.signals).toEqual([
      { signal: 'keyword', value: 'key*' },
      { signal: 'prompt_length', value: '11 tokens' },
      { signal: 'language', value: 'en' },
    ])
    expect(JSON.stringify(fired)).not.toMatch(/keyboard|grandmother/)
  })

  it('a keyword may be asked of the newest turn only', async () => {
    const rules = [{ when: { keyword: { words: ['stop'], in: 'newest' as const } }, use: 'big' }]
    const router = build({ rules })
    expect(await router.decide(createProbe(['stop', 'chat']))).toMatchObject({ servedModel: 'small' })
    expect(await router.decide(createProbe(['chat', 'stop']))).toMatchObject({ servedModel: 'big' })
  })
})

describe('no classifier', () => {
  const settings: Partial<RouterSettings> = {
    classifier: 'none',
    classifierModel: undefined,
    policies: [],
    rules: undefined,
  }
  const candidates = [
    { model: 'small', labels: [] },
    { model: 'big', labels: [] },
  ]

  it('rules decide, and the first candidate serves the rest', async () => {
    const router = build({ ...settings, candidates, rules: [{ when: { hasTools: true }, use: 'big' }] })
    expect(router.problems).toEqual([])
    expect(await router.decide('x', { facts: { hasTools: true } })).toMatchObject({
      servedModel: 'big',
      reason: 'rule',
    })
    expect(await router.decide('x')).toMatchObject({ servedModel: 'small', reason: 'selected', classifier: 'none' })
  })

  it('needs rules or a selection', async () => {
    const router = build({ ...settings, candidates })
    expect(router.problems).toMatchObject([{ path: ['classifier'], stopsClassifier: true }])
    expect(await router.decide('x')).toMatchObject({ servedModel: 'spare', reason: 'no-classifier' })
  })
})

describe('sticky', () => {
  const ill = new Set<string>()
  const targets = { describe: (model: string) => ({ isHealthy: !ill.has(model) }) }

  it('a conversation stays on its model, until it is silent for too long', async () => {
    const clock = createFakeClock()
    const { scorer, calls } = countCalls()
    const router = build({ sticky: { ttlSeconds: 60 } }, { clock, scorer })
    const turns = ['fix my code', 'done', 'a chat about the weather']
    expect(await router.decide(createProbe(turns.slice(0, 1)))).toMatchObject({ servedModel: 'mid', reason: 'covered' })
    await clock.advance(59_000)
    expect(await router.decide(createProbe(turns))).toMatchObject({
      servedModel: 'mid',
      reason: 'sticky',
      classifier: 'none',
    })
    expect(calls()).toBe(1)
    await clock.advance(59_000)
    expect(await router.decide(createProbe(turns))).toMatchObject({ reason: 'sticky' })
    await clock.advance(60_000)
    expect(await router.decide(createProbe(turns))).toMatchObject({ reason: 'covered', classifier: 'score' })
  })

  it('conversations are told apart by id, by opening and by caller', async () => {
    const router = build({ sticky: {} })
    const decide = async (prompt: string, facts = {}) => (await router.decide(prompt, { facts })).reason
    expect(await decide('code', { conversation: 'a' })).toBe('covered')
    expect(await decide('math', { conversation: 'a' })).toBe('sticky')
    expect(await decide('math', { conversation: 'b' })).toBe('covered')
    expect(await decide('code', { scope: 'ann' })).toBe('covered')
    expect(await decide('code', { scope: 'ann' })).toBe('sticky')
    expect(await decide('code', { scope: 'bob' })).toBe('covered')
    expect(await decide('code', { scope: 'ann', opening: 'other' })).toBe('covered')
    // Nothing tells a conversation whose first turns are unknown.
    expect(await decide('code', { opening: '' })).toBe('covered')
    expect(await decide('code', { opening: '' })).toBe('covered')
  })

  it('is left when the model is ill, and by a rule that overrides it', async () => {
    const rules = [
      { when: { hasImages: true }, use: 'big', overridesSticky: true },
      { when: { hasAudio: true }, use: 'small' },
    ]
    const router = build({ sticky: {}, rules }, { targets })
    const decide = async (facts = {}) => {
      const { servedModel, reason } = await router.decide('code', { facts })
      return `${servedModel} ${reason}`
    }
    expect(await decide()).toBe('mid covered')
    expect(await decide({ hasAudio: true })).toBe('mid sticky')
    expect(await decide({ hasImages: true })).toBe('big rule')
    expect(await decide()).toBe('big sticky')
    ill.add('big')
    expect(await decide()).toBe('mid covered')
    ill.clear()
    expect(await decide()).toBe('mid sticky')
  })

  it('the fallback of a failed classifier is no place to stay', async () => {
    let isUp = false
    const words = createWordScorer()
    const scorer: RouterOptions['scorer'] = {
      score: (request, call) => (isUp ? words.score(request, call) : Promise.reject(new Error('down'))),
    }
    const router = build({ sticky: {} }, { scorer })
    expect(await router.decide('code')).toMatchObject({ servedModel: 'spare' })
    isUp = true
    expect(await router.decide('code')).toMatchObject({ servedModel: 'mid', reason: 'covered' })
  })

  it('forgets the conversation that was silent longest', async () => {
    const router = build({ sticky: { maxConversations: 2 } })
    const decide = async (id: string) => (await router.decide('code', { facts: { conversation: id } })).reason
    for (const id of ['a', 'b']) expect(await decide(id)).toBe('covered')
    expect(await decide('a')).toBe('sticky')
    expect(await decide('c')).toBe('covered')
    expect(await decide('a')).toBe('sticky')
    expect(await decide('b')).toBe('covered')
  })
})

it('a trial leaves no trace', async () => {
  const clock = createFakeClock()
  const latencies = createLatencies()
  latencies.record('small', { firstTokenMs: 1 }, clock.monotonic())
  const router = build({ sticky: {}, select: { by: 'fastest', explore: 0.5 } }, { clock, latencies })
  for (let round = 0; round < 9; round++) {
    expect(await router.decide('chat', { isTrial: true })).toMatchObject({ servedModel: 'small', reason: 'selected' })
  }
  expect(await router.decide('chat')).toMatchObject({ servedModel: 'small', reason: 'selected' })
  expect(await router.decide('chat', { isTrial: true })).toMatchObject({ reason: 'sticky' })
})

describe('select', () => {
  const candidates = ['a', 'b', 'c'].map((model) => ({ model, labels: ['chat', 'code', 'math'] }))

  it('the cheapest candidate that covers and fits serves; one without a price never wins against one with', async () => {
    const prices: Record<string, number | undefined> = { a: 30, b: undefined, c: 20 }
    const contexts: Record<string, number | undefined> = { c: 1_000 }
    const uses: unknown[] = []
    const targets = {
      describe: (model: string) => ({ contextSize: contexts[model] }),
      expectCost: (model: string, use: unknown) => {
        uses.push(use)
        return prices[model]
      },
    }
    const router = build({ candidates, select: { by: 'cheapest', expectedOutputTokens: 400 } }, { targets })
    expect(await router.decide('code', { facts: { promptTokens: 600 } })).toMatchObject({
      servedModel: 'c',
      reason: 'selected',
      label: 'code',
      selected: { by: 'cheapest', cost: 20, fitting: 3 },
    })
    expect(uses[0]).toEqual({ promptTokens: 600, completionTokens: 400 })
    expect(await router.decide('code', { facts: { promptTokens: 601 } })).toMatchObject({
      servedModel: 'a',
      selected: { fitting: 2 },
    })
    prices.a = undefined
    expect(await router.decide('code', { facts: { promptTokens: 601 } })).toMatchObject({
      servedModel: 'a',
      selected: { cost: undefined },
    })
  })

  it('a candidate that is ill, or cannot take the media or tools, does not fit', async () => {
    const known: Record<string, object> = {
      a: { takesImages: false, takesTools: false },
      b: { isHealthy: false },
      c: { takesAudio: false },
    }
    const targets = { describe: (model: string) => known[model] ?? {} }
    const router = build({ candidates, select: { by: 'fitting' } }, { targets })
    const decide = async (facts = {}) => (await router.decide('code', { facts })).servedModel
    expect(await decide()).toBe('a')
    expect(await decide({ hasImages: true })).toBe('c')
    expect(await decide({ hasTools: true })).toBe('c')
    expect(await decide({ hasAudio: true })).toBe('a')
    expect(await decide({ hasAudio: true, hasImages: true })).toBe('spare')
  })

  it('the fastest serves; models that were not measured lately are tried at their share', async () => {
    const clock = createFakeClock()
    const latencies = createLatencies()
    const router = build(
      { candidates, select: { by: 'fastest', explore: 0.1, staleSeconds: 100 } },
      { clock, latencies },
    )
    const served = async (count: number) => {
      const models: string[] = []
      for (let index = 0; index < count; index++) models.push((await router.decide('code')).servedModel)
      return models
    }
    // Nothing is measured: the first serves.
    expect(new Set(await served(30))).toEqual(new Set(['a']))
    latencies.record('a', { firstTokenMs: 100, tokensPerSecond: 10 }, clock.monotonic())
    const tried = await served(100)
    expect(tried.filter((model) => model !== 'a')).toEqual(['b', 'c'])
    // A model that was tried and gave no measurement waits for its turn.
    await clock.advance(100_000)
    latencies.record('a', { firstTokenMs: 100, tokensPerSecond: 10 }, clock.monotonic())
    expect((await served(100)).filter((model) => model !== 'a')).toEqual(['b', 'c'])
    // A later first token is made up for by a faster answer.
    latencies.record('c', { firstTokenMs: 900, tokensPerSecond: 100 }, clock.monotonic())
    expect((await served(20)).at(-1)).toBe('c')
    expect(await router.decide('code')).toMatchObject({
      servedModel: 'c',
      selected: { by: 'fastest', durationMs: 5_900 },
    })
  })

  it('never tries more than the share, whatever the models are', async () => {
    const clock = createFakeClock()
    const latencies = createLatencies()
    latencies.record('a', { firstTokenMs: 1 }, clock.monotonic())
    const router = build(
      { candidates, select: { by: 'fastest', explore: 0.05, staleSeconds: 0 } },
      { clock, latencies },
    )
    let explored = 0
    for (let index = 0; index < 1_000; index++) {
      const { selected } = await router.decide('code')
      if (selected?.explores === true) explored++
    }
    expect(explored).toBe(50)
  })

  it('skips the classifier and its labels where a rule says so', async () => {
    const rules = [{ when: { tag: { mode: 'cheap' } }, skipClassifier: true }]
    const { scorer, calls } = countCalls()
    const targets = { describe: () => ({}), expectCost: (model: string) => ({ small: 3, mid: 1, big: 2 })[model] }
    const router = build({ rules, select: { by: 'cheapest' } }, { scorer, targets })
    expect(await router.decide('math', { facts: { tags: { mode: 'cheap' } } })).toMatchObject({
      servedModel: 'mid',
      reason: 'selected',
    })
    expect(calls()).toBe(0)
    expect(await router.decide('math', { facts: { tags: {} } })).toMatchObject({ servedModel: 'big' })
  })
})
