import type { MockRecord } from '@svc/backend-mock/script'
import { eventually } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { certain, JUDGE, POLICIES, type RouterWorld, startRouterWorld } from '../support/router-world.ts'
import { verifies } from './verifies.ts'

const ALL = POLICIES.map(({ label }) => label)

/** The calls of a kind that a model got. */
function listCalls(world: RouterWorld, model: string, rpc: string): MockRecord[] {
  return world.server.records(model).filter((record) => record.event === 'start' && record.rpc === rpc)
}

function readPrompt(record: MockRecord | undefined): string {
  return ((record?.request ?? {}) as { prompt?: string }).prompt ?? ''
}

function listCandidates(record: MockRecord | undefined): string[] {
  return ((record?.request ?? {}) as { candidates?: string[] }).candidates ?? []
}

async function last(world: RouterWorld) {
  const [decision] = await world.decisions('?limit=1')
  if (decision === undefined) throw new Error('no decision')
  return decision
}

/** Scores of the labels with their numbers of tokens. */
const scores = (...pairs: readonly (readonly [logProb: number, numTokens: number])[]) => ({
  rules: [
    { rpc: 'Score', do: { answer: { candidates: pairs.map(([logProb, numTokens]) => ({ logProb, numTokens })) } } },
  ],
})

describe('score', () => {
  let world: RouterWorld
  beforeAll(async () => {
    world = await startRouterWorld()
  })
  afterAll(() => world[Symbol.asyncDispose]())

  verifies(
    [
      'router:score:prompt',
      'router:block:descriptions-verbatim',
      'router:block:policies',
      'router:block:classifier-model',
    ],
    'lists labels and descriptions word for word in the system turn, and scores every label',
    async () => {
      const policies = [
        { label: 'code', description: 'Says "fix", {{braces}} and <b>tags</b>' },
        { label: 'chat', description: 'Ünïcödé and \\ a backslash' },
      ]
      await world.judge(scores([-1, 5], [-9, 5]))
      await world.router('auto', { policies, candidates: [{ model: 'small', labels: ['code', 'chat'] }] })
      await world.ask('what about this')
      const [asked] = listCalls(world, 'judge', 'Score').slice(-1)
      const [system = '', user = ''] = readPrompt(asked).split('<|im_start|>user')
      expect(system).toContain('{"name": "code", "description": "Says \\"fix\\", {{braces}} and <b>tags</b>"}')
      expect(system).toContain('{"name": "chat", "description": "Ünïcödé and \\\\ a backslash"}')
      expect(user).toContain('what about this')
      expect(listCandidates(asked)).toEqual(['{"route": "code"}<|im_end|>', '{"route": "chat"}<|im_end|>'])
    },
  )

  verifies(
    ['router:score:each-label', 'router:score:softmax', 'decision-log:entry:score', 'decision-log:entry:labels'],
    'divides log-probabilities by their tokens and takes the softmax',
    async () => {
      // Sums of -8, -9 and -40 are means of -2, -1 and -4.
      await world.judge(scores([-8, 4], [-9, 9], [-40, 10]))
      await world.router('auto')
      await world.ask('a new prompt')
      const weights = [-2, -1, -4].map(Math.exp)
      const total = weights.reduce((sum, weight) => sum + weight, 0)
      const decision = await last(world)
      expect(decision.label_scores).toEqual(
        ALL.map((label, index) => ({ label, score: expect.closeTo((weights[index] ?? 0) / total, 9) })),
      )
      expect(decision).toMatchObject({
        classifier: 'score',
        label: 'math',
        score: expect.closeTo(weights[1] === undefined ? 0 : weights[1] / total, 9),
        gap: expect.closeTo(((weights[1] ?? 0) - (weights[0] ?? 0)) / total, 9),
        activation_threshold: 0.5,
      })
    },
  )

  it('compares sums where the file says so', async () => {
    await world.judge(scores([-8, 4], [-9, 9], [-40, 10]))
    await world.router('auto', { score_normalization: 'raw' })
    await world.ask('one more prompt')
    expect((await last(world)).label).toBe('code')
  })

  verifies(
    [
      'router:score:activates',
      'router:block:threshold-floor',
      'router:select:first-superset',
      'router:block:candidate-order',
    ],
    'activates all labels that reach the threshold, and the first candidate that covers them serves',
    async () => {
      // Shares of about 0.49, 0.3 and 0.21.
      await world.judge(scores([Math.log(0.49), 1], [Math.log(0.3), 1], [Math.log(0.21), 1]))
      const served: string[] = []
      for (const [index, activation_threshold] of [0.5, 0.4, 0.3, 0.25, 0.2].entries()) {
        await world.router('auto', {
          activation_threshold,
          candidates: [
            { model: 'small', labels: ['code'] },
            { model: 'mid', labels: ['math', 'code'] },
            { model: 'large', labels: ['chat', 'code', 'math'] },
            { model: 'spare', labels: ALL },
          ],
        })
        await world.ask(`prompt ${index}`)
        const decision = await last(world)
        served.push(`${decision.label} ${decision.served_model}`)
      }
      expect(served).toEqual(['code small', 'code small', 'code,math mid', 'code,math mid', 'code,math,chat large'])
    },
  )

  verifies(
    ['router:block:threshold-score', 'router:block:classifier-default'],
    'is the default, with the threshold 0.15 where the file says 0 or nothing',
    async () => {
      await world.judge(scores([Math.log(0.7), 1], [Math.log(0.16), 1], [Math.log(0.14), 1]))
      for (const activation_threshold of [0, undefined]) {
        await world.router('auto', { activation_threshold, classifier: undefined })
        await world.ask('prompt')
        expect(await last(world)).toMatchObject({
          classifier: 'score',
          label: 'code,math',
          served_model: 'large',
          activation_threshold: 0.15,
        })
      }
    },
  )

  it('asks in the chat template of the model', async () => {
    const template = {
      chat_message: '<{{.RoleName}}>{{.Content}}</s>',
      chat: 'BEGIN{{.Input}}<assistant>',
    }
    await world.judge(JUDGE, { template, stopwords: ['</s>'] })
    await world.router('auto')
    expect(await world.ask('fix </s> this')).toMatchObject({ model: 'mid' })
    const [asked] = listCalls(world, 'judge', 'Score').slice(-1)
    expect(readPrompt(asked)).toMatch(/^BEGIN<system>You sort[\s\S]*<\/s>\n<user>fix < \/ s > this\n<\/s><assistant>$/)
    expect(listCandidates(asked)[0]).toBe('{"route": "code"}</s>')
  })

  it('writes the system turn by a template of the file, and by its own where that fails', async () => {
    await world.judge()
    for (const [template, expected] of [
      [
        'Choose:{{range .Policies}} {{.Label}}={{.Description}};{{end}}',
        'Choose: code=Writing programs; math=Numbers and proofs;',
      ],
      ['{{.Nonsense}}', '<routes>'],
      ['{{', '<routes>'],
    ] as const) {
      await world.router('auto', { classifier_system_template: template })
      await world.ask(`fix with ${template}`)
      expect(readPrompt(listCalls(world, 'judge', 'Score').at(-1))).toContain(expected)
    }
  })
})

describe('colbert', () => {
  verifies(
    ['router:colbert:ranks', 'router:colbert:activates', 'router:block:threshold-others'],
    'ranks the descriptions by the prompt, from 0.5 on unless the file says otherwise',
    async () => {
      await using world = await startRouterWorld()
      await world.server.model('ranker', {}, { known_usecases: ['rerank'] })
      // The mock scores a description by the share of the words of the prompt that it has.
      await world.router('auto', { classifier: 'colbert', classifier_model: 'ranker', activation_threshold: 0 })
      expect(await world.ask('writing programs')).toMatchObject({ model: 'mid' })
      expect(await last(world)).toMatchObject({
        classifier: 'colbert',
        label: 'code',
        score: 1,
        activation_threshold: 0.5,
      })
      const [asked] = listCalls(world, 'ranker', 'Rerank')
      expect(asked?.request).toMatchObject({ documents: POLICIES.map(({ description }) => description) })
      expect(await world.ask('writing proofs')).toMatchObject({ model: 'large' })
      expect((await last(world)).label).toBe('code,math')
      // The top label is active, whatever its score.
      expect(await world.ask('one two three four programs')).toMatchObject({ model: 'mid' })
      await world.router('auto', { classifier: 'colbert', classifier_model: 'ranker', activation_threshold: 0.6 })
      expect(await world.ask('writing proofs again')).toMatchObject({ model: 'mid' })
    },
  )

  verifies(
    'router:block:threshold-ranks',
    'takes a threshold above 1 for a reranker that gives raw scores',
    async () => {
      await using world = await startRouterWorld()
      const results = [14.25, 12.5, 3].map((relevanceScore, index) => ({ index, relevanceScore }))
      await world.server.model(
        'ranker',
        { rules: [{ rpc: 'Rerank', do: { answer: { results } } }] },
        { known_usecases: ['rerank'] },
      )
      const keys = { classifier: 'colbert', classifier_model: 'ranker' }
      for (const [activation_threshold, label, served_model] of [
        [13, 'code', 'mid'],
        [12.5, 'code,math', 'large'],
      ] as const) {
        await world.router('auto', { ...keys, activation_threshold })
        await world.ask('which is it')
        expect(await last(world)).toMatchObject({ label, served_model, score: 14.25, activation_threshold })
      }
      expect(world.server.logLines.some((line) => line.includes('activation_threshold'))).toBe(false)
    },
  )
})

describe('decisions', () => {
  verifies(
    [
      'router:decisions:independent',
      'router:decisions:no-template',
      'router:block:classifier-values',
      'router:block:threshold-others',
    ],
    'asks one question a label, without a template, and may find several labels or none',
    async () => {
      await using world = await startRouterWorld()
      await world.server.model('decider', {}, { known_usecases: ['decisions'] })
      await world.router('auto', { classifier: 'decisions', classifier_model: 'decider', activation_threshold: 0 })
      // The mock says yes by the share of the words of the question that the text has.
      const both = 'the conversation writing programs numbers and proofs'
      expect(await world.ask(both)).toMatchObject({ model: 'large' })
      expect(await last(world)).toMatchObject({
        classifier: 'decisions',
        label: 'code,math',
        activation_threshold: 0.5,
      })
      const { label_scores = [] } = await last(world)
      expect(label_scores.reduce((sum, { score }) => sum + score, 0)).toBeGreaterThan(1.5)
      const [asked] = listCalls(world, 'decider', 'Decide')
      expect(asked?.request).toMatchObject({
        document: `${both}\n`,
        questions: ALL.map((_, index) => ({ id: `p${index}` })),
      })
      expect(await world.ask('zzz')).toMatchObject({ model: 'spare' })
      expect(await last(world)).toMatchObject({ label: 'fallback', reason: 'no-label', classifier: 'decisions' })
      // It never cuts a prompt: one of more than 64 KiB takes the fallback.
      expect(await world.ask('writing programs '.repeat(5_000))).toMatchObject({ model: 'spare' })
      expect(await last(world)).toMatchObject({ reason: 'classifier-failed' })
    },
  )

  verifies('router:decisions:wait', 'lets a ninth request wait instead of taking the fallback', async () => {
    await using world = await startRouterWorld()
    const rules = [{ rpc: 'Decide', contains: 'hold', do: { hang: true } }]
    await world.server.model('decider', { rules }, { known_usecases: ['decisions'] })
    await world.router('auto', { classifier: 'decisions', classifier_model: 'decider' })
    await world.ask('load it')
    const leave = new AbortController()
    const held = Array.from({ length: 8 }, (_, index) =>
      fetch(`${world.server.url}/v1/completions`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ model: 'auto', prompt: `hold ${index}` }),
        signal: leave.signal,
      }),
    )
    await eventually(() => {
      expect(listCalls(world, 'decider', 'Decide')).toHaveLength(9)
    })
    const waiting = ['one', 'two'].map((word) => world.ask(`the conversation writing programs ${word}`))
    // A request that came later has been answered: the two have been read.
    await world.server.chat('mid')
    leave.abort()
    await Promise.allSettled(held)
    expect((await Promise.all(waiting)).map(({ model }) => model)).toEqual(['mid', 'mid'])
  })

  it.each([
    ['one answer too few', { answers: [{ id: 'p0', probability: 1 }] }],
    ['an answer to no question', { answers: ['p0', 'p1', 'p9'].map((id) => ({ id, probability: 1 })) }],
    ['a probability of 2', { answers: ['p0', 'p1', 'p2'].map((id) => ({ id, probability: 2 })) }],
  ])('%s: the fallback serves', async (_, answer) => {
    await using world = await startRouterWorld()
    await world.server.model(
      'decider',
      { rules: [{ rpc: 'Decide', do: { answer } }] },
      { known_usecases: ['decisions'] },
    )
    await world.router('auto', { classifier: 'decisions', classifier_model: 'decider' })
    expect(await world.ask('hello')).toMatchObject({ status: 200, model: 'spare' })
  })
})

describe('the cache of prompts', () => {
  verifies(
    ['router:lru:key', 'decision-log:entry:cached', 'decision-log:entry:classifier', 'decision-log:entry:latency'],
    'answers a prompt again that differs in case and outer white space alone',
    async () => {
      await using world = await startRouterWorld()
      await world.ask('Fix THIS, please fix')
      const first = await last(world)
      await world.ask('  fix this, PLEASE FIX \n')
      expect(listCalls(world, 'judge', 'Score')).toHaveLength(1)
      const again = await last(world)
      expect(first).toMatchObject({ cached: false, classifier: 'score', latency_ms: expect.any(Number) })
      expect(again).toMatchObject({ cached: true, label: 'code', score: first.score, label_scores: first.label_scores })
      await world.ask('fix  this, please fix')
      expect(listCalls(world, 'judge', 'Score')).toHaveLength(2)
    },
  )

  verifies('router:lru:zero-is-default', 'keeps the number of prompts that the file says', async () => {
    await using world = await startRouterWorld()
    await world.router('auto', { classifier_cache_size: 2 })
    for (const prompt of ['fix one', 'fix two', 'fix three', 'fix three', 'fix one']) await world.ask(prompt)
    expect(listCalls(world, 'judge', 'Score')).toHaveLength(4)
    await world.router('auto', { classifier_cache_size: 0 })
    for (const prompt of ['fix one', 'fix two', 'fix three', 'fix three', 'fix one']) await world.ask(prompt)
    expect(listCalls(world, 'judge', 'Score')).toHaveLength(7)
  })
})

describe('the embedding cache', () => {
  const cached = (keys: Record<string, unknown> = {}) => ({ embedding_cache: { embedding_model: 'embedder', ...keys } })
  const readStats = async (world: RouterWorld): Promise<Record<string, unknown>> => {
    const { caches } = (await world.server.call('/api/router/cache/stats')).json() as {
      caches: Record<string, Record<string, unknown>>
    }
    return caches.auto ?? {}
  }

  verifies(
    [
      'router:cache:lookup',
      'router:cache:optional',
      'router:cache:model',
      'router:cache:similarity-default',
      'decision-log:entry:cached',
    ],
    'answers a prompt that means the same, from a similarity of 0.80 on',
    async () => {
      await using world = await startRouterWorld()
      await world.embedder('embedder')
      await world.router('auto', cached())
      // Nine of ten words are the same; then five of ten.
      await world.ask('fix one two three four five six seven eight nine')
      expect(await world.ask('fix one two three four five six seven eight other')).toMatchObject({ model: 'mid' })
      expect(await last(world)).toMatchObject({ cached: true, label: 'code', cache_similarity: expect.any(Number) })
      expect((await last(world)).cache_similarity).toBeGreaterThanOrEqual(0.8)
      expect(listCalls(world, 'judge', 'Score')).toHaveLength(1)
      await world.ask('fix one two three four lion bear wolf snake goat')
      expect(listCalls(world, 'judge', 'Score')).toHaveLength(2)
      expect(await readStats(world)).toMatchObject({
        hits: 1,
        misses: 2,
        near_misses: 1,
        low_confidence: 0,
        entries: 2,
      })
    },
  )

  verifies(
    ['router:cache:miss', 'router:cache:confidence-default'],
    'keeps a decision whose score reaches 0.60',
    async () => {
      await using world = await startRouterWorld()
      await world.embedder('embedder')
      await world.router('auto', cached())
      await world.judge(scores([Math.log(0.59), 1], [Math.log(0.21), 1], [Math.log(0.2), 1]))
      await world.ask('one two three four')
      expect(await readStats(world)).toMatchObject({ low_confidence: 1, entries: 0 })
      await world.judge(scores([Math.log(0.61), 1], [Math.log(0.2), 1], [Math.log(0.19), 1]))
      await world.ask('one two three four')
      expect(await readStats(world)).toMatchObject({ low_confidence: 0, entries: 1 })
      await world.router('auto', cached({ confidence_threshold: 0.7 }))
      await world.ask('one two three four')
      expect(await readStats(world)).toMatchObject({ low_confidence: 1, entries: 0 })
    },
  )

  verifies(
    'router:cache:failure',
    'is passed by where its model fails, is not there or gives other vectors',
    async () => {
      await using world = await startRouterWorld()
      await world.router('auto', cached())
      for (const [name, script] of [
        ['failing', { rules: [{ rpc: 'Embedding', do: { failure: { status: 'INTERNAL', message: 'no' } } }] }],
        ['empty', { rules: [{ rpc: 'Embedding', do: { answer: { embeddings: [] } } }] }],
        ['zero', { rules: [{ rpc: 'Embedding', do: { answer: { embeddings: [0, 0] } } }] }],
        ['turning', { rules: [{ rpc: 'Embedding', contains: 'again', do: { answer: { embeddings: [1, 2] } } }] }],
      ] as const) {
        await world.embedder('embedder', script)
        expect(await world.ask(`fix ${name}`), name).toMatchObject({ status: 200, model: 'mid' })
        expect(await world.ask(`fix ${name} again`), name).toMatchObject({ status: 200, model: 'mid' })
        const { embedder_errors, store_errors } = await readStats(world)
        expect(Number(embedder_errors) + Number(store_errors), name).toBeGreaterThan(0)
      }
      await world.router('auto', cached({ embedding_model: 'nobody' }))
      expect(await world.ask('fix without')).toMatchObject({ status: 200, model: 'mid' })
    },
  )

  verifies('router:cache:cold', 'is passed by without an error while its model is being loaded', async () => {
    await using world = await startRouterWorld()
    const rules = [{ rpc: 'LoadModel', do: { hang: true } }]
    await world.server.model('embedder', { rules }, { known_usecases: ['embeddings'], embeddings: true })
    await world.router('auto', cached())
    for (const misses of [1, 2]) {
      expect(await world.ask(`fix ${misses}`)).toMatchObject({ status: 200, model: 'mid' })
      expect(await readStats(world)).toMatchObject({ misses, embedder_errors: 0, store_errors: 0 })
    }
  })

  it('is passed by after two seconds where its model hangs', async () => {
    await using world = await startRouterWorld()
    await world.embedder('embedder', { rules: [{ rpc: 'Embedding', contains: 'fix', do: { hang: true } }] })
    await world.router('auto', cached())
    expect(await world.ask('fix this')).toMatchObject({ status: 200, model: 'mid' })
    expect(await readStats(world)).toMatchObject({ embedder_errors: 1, misses: 0 })
    await eventually(() => {
      expect(world.server.records('embedder')).toContainEqual(
        expect.objectContaining({ rpc: 'Embedding', outcome: 'cancelled' }),
      )
    })
  })

  verifies(
    ['router:cache:not-for-knn', 'router:cache:store-name'],
    'is ignored by knn with a warning, and has a name of its own',
    async () => {
      await using world = await startRouterWorld()
      await world.embedder('embedder')
      await world.router('auto', {
        ...cached(),
        activation_threshold: undefined,
        classifier: 'knn',
        knn: { embedding_model: 'embedder' },
      })
      await world.ask('fix this')
      const [auto] = ((await world.server.call('/api/router/status')).json() as { models: Record<string, unknown>[] })
        .models
      expect(auto).toMatchObject({
        embedding_cache: { store_name: 'router-cache-auto', similarity_threshold: 0.8, confidence_threshold: 0.6 },
        problems: [expect.stringContaining('router.embedding_cache: is ignored with knn')],
      })
      expect(auto).not.toHaveProperty('embedding_cache.stats')
      expect(world.server.logLines.some((line) => line.includes('is ignored with knn'))).toBe(true)
      await world.router('auto', { ...cached({ store_name: 'shared' }) })
      const [named] = ((await world.server.call('/api/router/status')).json() as { models: Record<string, unknown>[] })
        .models
      expect(named).toMatchObject({ embedding_cache: { store_name: 'shared', stats: { hits: 0 } } })
    },
  )

  verifies(
    'router:reload:rebuilds',
    'is empty once the router is built anew: after a reload, and after a change of a file',
    async () => {
      await using world = await startRouterWorld()
      await world.embedder('embedder')
      await world.router('auto', cached())
      await world.ask('fix this')
      expect(await readStats(world)).toMatchObject({ entries: 1 })
      await world.server.call('/models/reload', { method: 'POST' })
      await world.ask('fix this')
      expect(listCalls(world, 'judge', 'Score')).toHaveLength(2)
      expect(await readStats(world)).toMatchObject({ hits: 0, entries: 1 })
      // The classifier model is another one: scores of the old one say nothing of it.
      await world.judge({ rules: [{ rpc: 'Score', do: certain('math') }] })
      expect(await world.ask('fix this')).toMatchObject({ model: 'large' })
      await world.router('auto', { ...cached(), candidates: [{ model: 'spare', labels: ALL }] })
      expect(await world.ask('fix this')).toMatchObject({ model: 'spare' })
    },
  )
})

describe('a classifier that fails', () => {
  // verifies router:fallback:classifier-error
  it.each([
    ['fails', { rules: [{ rpc: 'Score', do: { failure: { status: 'INTERNAL', message: 'no' } } }] }],
    ['is overloaded', { rules: [{ rpc: 'Score', do: { failure: { status: 'RESOURCE_EXHAUSTED', message: 'no' } } }] }],
    ['cannot score', { without: ['Score'] }],
    ['gives one score too few', scores([-1, 1], [-2, 1])],
    ['finds no tokens', scores([-1, 0], [-2, 0], [-3, 0])],
    ['leaves in the middle', { rules: [{ rpc: 'Score', do: { crash: { how: 'kill' } } }] }],
  ] as const)('%s: the fallback serves, and no slot is lost', async (_, script) => {
    await using world = await startRouterWorld({ flags: ['--max-concurrent-backend-requests=1'] })
    await world.judge(script)
    for (const prompt of ['fix one', 'fix two']) {
      expect(await world.ask(prompt)).toMatchObject({ status: 200, model: 'spare', text: 'I am spare' })
      expect(await last(world)).toMatchObject({
        reason: 'classifier-failed',
        label: 'fallback',
        classifier: 'score',
        score: 0,
      })
    }
    await world.router('auto', { fallback: '' })
    expect(await world.ask('fix three')).toMatchObject({ status: 500 })
    expect(world.server.logLines.some((line) => line.includes('a classifier failed'))).toBe(true)
  })

  it('hangs: the fallback serves after ten seconds, and the call is cancelled', async () => {
    await using world = await startRouterWorld()
    await world.judge({ rules: [{ rpc: 'Score', do: { hang: true } }] })
    expect(await world.ask('fix one')).toMatchObject({ status: 200, model: 'spare' })
    expect(await last(world)).toMatchObject({ reason: 'classifier-failed' })
    await eventually(() => {
      expect(world.server.records('judge')).toContainEqual(
        expect.objectContaining({ rpc: 'Score', outcome: 'cancelled' }),
      )
    })
  })
})

describe('a client that leaves', () => {
  const hang = { hang: true }
  it.each([
    ['the embedding cache embeds', 'embedder', 'Embedding', { embedding_cache: { embedding_model: 'embedder' } }],
    ['the classifier scores', 'judge', 'Score', {}],
    ['the classifier ranks', 'ranker', 'Rerank', { classifier: 'colbert', classifier_model: 'ranker' }],
    ['the classifier decides', 'decider', 'Decide', { classifier: 'decisions', classifier_model: 'decider' }],
    ['knn embeds', 'embedder', 'Embedding', { classifier: 'knn', knn: { embedding_model: 'embedder' } }],
    ['the picked model answers', 'small', 'Predict', {}],
  ] as const)('while %s ends the work, and nothing else is asked', async (_, model, rpc, keys) => {
    await using world = await startRouterWorld({ flags: ['--max-concurrent-backend-requests=1'] })
    const rules = [{ rpc, contains: 'hello', do: hang }]
    for (const name of ['embedder', 'ranker', 'decider']) {
      await world.embedder(name, model === name ? { rules } : {})
    }
    await world.judge(model === 'judge' ? { rules } : JUDGE)
    if (model === 'small') await world.server.model('small', { rules: [{ rpc: 'Predict*', do: hang }] })
    await world.router('auto', keys)
    const controller = new AbortController()
    /** The prompt of a call that was left may be counted by a call of its own. */
    const listRecords = () => world.server.records(model).filter((record) => record.rpc.startsWith(rpc))
    /** The calls that a model has taken and not ended. */
    const running = () => {
      const calls = listRecords()
      const ended = new Set(calls.filter(({ event }) => event === 'end').map(({ id }) => id))
      return calls.filter(({ event, id }) => event === 'start' && !ended.has(id))
    }
    const asked = fetch(`${world.server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'auto', messages: [{ role: 'user', content: 'hello' }] }),
      signal: controller.signal,
    })
    await eventually(() => {
      if (running().length === 0) throw new Error('not asked yet')
    })
    controller.abort()
    await expect(asked).rejects.toThrow()
    await eventually(() => {
      expect(running()).toEqual([])
      expect(listRecords().findLast(({ event }) => event === 'end')?.outcome).toBe('cancelled')
    })
    if (model !== 'small') {
      for (const name of ['small', 'spare']) expect(world.server.records(name)).toEqual([])
      if (model !== 'judge') expect(listCalls(world, 'judge', 'Score')).toEqual([])
      expect(await world.decisions()).toEqual([])
    }
    // The one slot of the server is free again.
    await eventually(async () => {
      expect((await world.server.chat('mid')).status).toBe(200)
    })
  })
})
