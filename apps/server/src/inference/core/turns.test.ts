import { createRevocations, type Principal } from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import { createQuotas } from '@svc/auth/quotas'
import { parseJson } from '@svc/json'
import { createPatternDetector } from '@svc/pii/patterns'
import { createFakeClock } from '@svc/test-kit'
import { Registry } from 'prom-client'
import { describe, expect, it } from 'vitest'
import type { PiiAuditEvent } from '../../audit/audit-event.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import { createMetrics } from '../../monitoring/metrics.ts'
import type { UsageRecord } from '../../monitoring/recorders.ts'
import { createPiiMetrics } from '../../pii/metrics.ts'
import { createRequestFilter } from '../../pii/request-filter.ts'
import { JsonBody } from '../documents/request-document.ts'
import type { Executor } from '../engine/executor.ts'
import type { GenerationCall } from '../replies/wire-format.ts'
import { createAccess } from '../stages/access.ts'
import { createModelStage } from '../stages/model.ts'
import { createPiiStage } from '../stages/pii.ts'
import { createIdleStages } from './__fixtures__/idle-stages.ts'
import { addUsage, NO_USAGE, type PredictionStep } from './events.ts'
import { createModelCalls, type ModelCalls } from './model-calls.ts'
import { createRequestCore } from './pipeline.ts'
import type { RequestContext } from './ports.ts'
import type { ChatRequest } from './request.ts'

const figures = (promptTokens: number, completionTokens: number) => ({ ...NO_USAGE, promptTokens, completionTokens })
const SIGNAL = { signal: new AbortController().signal }

/** A tool loop as a decorator: calls the model, runs the tool that it asks for, and calls it with the result. */
function createLoop(calls: ModelCalls, runTool: (args: string) => Promise<string>): ModelCalls {
  return {
    perform: (request, model, task) => calls.perform(request, model, task),
    async *predict(request, model, task) {
      if (request.kind !== 'chat') throw new Error('not a conversation')
      let messages = request.messages
      let sum = NO_USAGE
      for (;;) {
        let args = ''
        for await (const steps of calls.predict({ ...request, messages }, model, task)) {
          const shown: PredictionStep[] = []
          for (const step of steps) {
            if (step.type === 'usage') sum = addUsage(sum, step.usage)
            else if (step.type === 'tool-call-delta') args += step.arguments
            else if (step.type === 'text-delta') shown.push(step)
          }
          if (shown.length > 0) yield shown
        }
        if (args === '') break
        yield [{ type: 'text-delta', choice: 0, text: '(looking) ' }]
        const result = await runTool(task.turns.restore(args, 'json'))
        const [content = ''] = await task.turns.filter([result])
        await task.turns.reserve(50)
        messages = [...messages, { role: 'tool', content }]
      }
      yield [
        { type: 'choice-end', choice: 0, finishReason: 'stop' },
        { type: 'usage', usage: sum },
      ]
    },
  }
}

/** The steps of the model in each turn, with its figures. */
const SCRIPT: readonly (readonly (readonly PredictionStep[])[])[] = [
  [
    [{ type: 'progress', usage: figures(10, 0) }],
    [
      { type: 'progress', usage: figures(10, 1) },
      { type: 'text-delta', choice: 0, text: 'I ask. ' },
    ],
    [
      { type: 'tool-call-start', choice: 0, index: 0, id: 'c', name: 'mail' },
      { type: 'tool-call-delta', choice: 0, index: 0, arguments: '{"to":"[REDACTED:EMAIL_001]"}' },
    ],
    [
      { type: 'choice-end', choice: 0, finishReason: 'tool_calls' },
      { type: 'usage', usage: figures(10, 3) },
    ],
  ],
  [
    [{ type: 'progress', usage: figures(20, 0) }],
    [
      { type: 'progress', usage: figures(20, 2) },
      { type: 'text-delta', choice: 0, text: 'It was [REDACTED:EMA' },
    ],
    [{ type: 'text-delta', choice: 0, text: 'IL_002].' }],
    [
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
      { type: 'usage', usage: figures(20, 4) },
    ],
  ],
]

interface Options {
  readonly maxTokens?: number
  readonly prompt?: string
  readonly result?: string
  readonly action?: 'mask' | 'block'
}

/** A core whose model stage has the loop, with real quotas, the real filter and a model that follows the script. */
async function createWorld(options: Options = {}) {
  const { maxTokens = 1000, prompt = 'Ask ada@site.example', result = 'by bob@site.example', action = 'mask' } = options
  const clock = createFakeClock()
  const stores = createMemoryStores()
  const quotas = createQuotas({ store: stores.quotas, clock, revocations: createRevocations() })
  await quotas.putRule('ada', { maxTokens, window: '1d' }, SIGNAL)
  const rules = await stores.quotas.listRules('ada', SIGNAL)
  const principal = { id: 'ada', role: 'user', quotas: rules, models: undefined } as unknown as Principal
  const usage: UsageRecord[] = []
  const events: PiiAuditEvent[] = []
  const asked: ChatRequest[] = []
  const tool: string[] = []
  let ended = 0
  const executor = {
    async *predict(request: ChatRequest) {
      asked.push(request)
      try {
        for (const batch of SCRIPT[asked.length - 1] ?? []) yield batch
      } finally {
        ended += 1
      }
    },
  } as unknown as Executor
  const calls = createModelCalls({
    executor,
    translate: () => expect.unreachable(),
    failover: { predict: () => expect.unreachable(), perform: () => expect.unreachable() },
    ownStores: { perform: () => expect.unreachable() },
  })
  const detector = createPatternDetector({
    name: 'mail',
    settings: {
      patterns: [{ name: 'EMAIL', match: '[a-z]+@[a-z]+\\.example' }],
      entityActions: {},
      defaultAction: action,
    },
  })
  const metrics = createMetrics()
  const models = createLoop(calls, async (args) => {
    tool.push(args)
    return result
  })
  const recorder = { record: (entry: UsageRecord) => void usage.push(entry) }
  const filter = createRequestFilter({
    defaults: () => ['mail'],
    detectors: { find: () => [detector] },
    tokens: { read: () => expect.unreachable() } as never,
    conversations: { read: () => expect.unreachable(), add: () => expect.unreachable() },
    events: {
      record: (entries) => {
        events.push(...(entries as readonly PiiAuditEvent[]))
        return []
      },
      flush: () => Promise.resolve(),
    },
    metrics: createPiiMetrics(new Registry()),
    clock,
  })
  const model = createModel({ pii: { enabled: true, reversibleRedactions: true } })
  const body = { model: 'm', messages: [{ role: 'user', content: prompt }] }
  const call = {
    kind: 'generation',
    takesTurns: true,
    request: { kind: 'chat', stream: true, choices: 1, messages: body.messages },
  } as unknown as GenerationCall
  const core = createRequestCore({
    ...createIdleStages(),
    body: () => new JsonBody(parseJson(Buffer.from(JSON.stringify(body)))),
    resolve: () => ({ requestedModel: 'm', replyModel: 'm', model, through: [] }),
    access: createAccess(quotas),
    pii: createPiiStage(filter),
    parse: () => ({ call }),
    model: createModelStage({ models, relay: () => expect.unreachable(), usage: recorder, metrics, clock }),
  })
  /** Serves a request whose client leaves after some batches. */
  async function serve({ batches = Number.POSITIVE_INFINITY, signal = SIGNAL.signal } = {}) {
    const context = {
      route: { path: '/v1/chat/completions', family: 'compatible', usecase: 'chat', scanned: 'chat-completions' },
      requestId: 'r',
      principal,
      signal,
      abort: signal,
      startedAt: 0,
      log: { debug() {}, info() {}, warn() {}, error() {} },
      header: () => undefined,
      useModel: () => undefined,
    } as unknown as RequestContext
    let text = ''
    let count = 0
    await core.serve({ context, format: {} as never, source: { body: {} as never } }, async (reply) => {
      if (reply.kind !== 'events') return
      for await (const batch of reply.batches) {
        for (const event of batch) if (event.type === 'text-delta') text += event.text
        count += 1
        if (count >= batches) break
      }
    })
    return { text, count }
  }
  async function readCounter() {
    await quotas.flush()
    const [status] = await quotas.readStatus('ada', SIGNAL)
    return { requests: status?.requests, tokens: status?.tokens }
  }
  return { serve, readCounter, usage, events, asked, tool, ended: () => ended }
}

describe('a request that calls its model twice', () => {
  it('is one record and one request of the quota, with the figures of both calls', async () => {
    const { serve, readCounter, usage, asked, ended } = await createWorld()
    await serve()
    expect(usage).toEqual([expect.objectContaining({ servedModel: 'm', promptTokens: 30, completionTokens: 7 })])
    expect(await readCounter()).toEqual({ requests: 1, tokens: 37 })
    expect([asked.length, ended()]).toEqual([2, 2])
  })

  it('filters what each turn adds, gives tools the real values, and restores those of every turn', async () => {
    const { serve, asked, tool, events } = await createWorld()
    const { text } = await serve()
    expect(tool).toEqual(['{"to":"ada@site.example"}'])
    expect(asked[1]?.messages.at(-1)).toEqual({ role: 'tool', content: 'by [REDACTED:EMAIL_002]' })
    expect(text).toBe('I ask. (looking) It was bob@site.example.')
    expect(events.map(({ facts }) => facts.segment)).toEqual(['messages[0].content', 'later[0]'])
  })

  it('restores values that only a later turn masks', async () => {
    const { serve, asked } = await createWorld({ prompt: 'Ask her', result: 'eve@site.example, bob@site.example' })
    const { text } = await serve()
    expect(asked[1]?.messages.at(-1)?.content).toBe('[REDACTED:EMAIL_001], [REDACTED:EMAIL_002]')
    expect(text).toBe('I ask. (looking) It was bob@site.example.')
  })

  it.each([
    ['escaped letters', String.raw`{"to":"\u0065ve\u0040site.example"}`, '{"to":"[REDACTED:EMAIL_001]"}'],
    ['a lone half of a character', 'a\ud800b', 'a\ufffdb'],
    ['no JSON', String.raw`to \u0065ve`, String.raw`to \u0065ve`],
  ])('filters JSON that a turn adds value by value: %s', async (_, result, sent) => {
    const { serve, asked } = await createWorld({ prompt: 'Ask her', result })
    await serve()
    expect(asked[1]?.messages.at(-1)?.content).toBe(sent)
  })

  it('ends where a turn adds text that its policy blocks, and keeps the figures', async () => {
    const { serve, readCounter, usage, asked } = await createWorld({ prompt: 'Ask her', action: 'block' })
    await expect(serve()).rejects.toMatchObject({ code: 'pii_blocked' })
    expect(asked).toHaveLength(1)
    expect(usage).toEqual([expect.objectContaining({ promptTokens: 10, completionTokens: 3 })])
    expect(await readCounter()).toEqual({ requests: 1, tokens: 13 })
  })

  it('ends where the quota of its caller is used up', async () => {
    const { serve, readCounter, usage, asked } = await createWorld({ maxTokens: 13 })
    await expect(serve()).rejects.toMatchObject({ code: 'quota_exceeded' })
    expect([asked.length, usage.length]).toEqual([1, 1])
    expect(await readCounter()).toEqual({ requests: 1, tokens: 13 })
  })

  it.each([
    [1, [10, 1], 1],
    [2, [10, 3], 1],
    [3, [30, 5], 2],
    [4, [30, 5], 2],
    [5, [30, 7], 2],
  ] as const)(
    'counts what was used when its client leaves after %i batches',
    async (batches, [prompt, completion], turns) => {
      const { serve, readCounter, usage, asked, ended } = await createWorld()
      const { count } = await serve({ batches })
      expect(count).toBe(batches)
      expect(usage).toEqual([expect.objectContaining({ promptTokens: prompt, completionTokens: completion })])
      expect(await readCounter()).toEqual({ requests: 1, tokens: prompt + completion })
      expect([asked.length, ended()]).toEqual([turns, turns])
    },
  )
})
