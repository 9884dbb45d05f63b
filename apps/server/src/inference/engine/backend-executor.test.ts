import type { BackendClient } from '@svc/backend-client'
import { Reply } from '@svc/backend-client/proto'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { Placement } from '../../placement/placement.ts'
import type { PredictionStep } from '../core/events.ts'
import type { ChatRequest } from '../core/request.ts'
import type { runOperation } from '../operations/run-operation.ts'
import { createCompileCache } from '../prediction/compile-cache.ts'
import { createModelFactsReader } from '../prediction/model-facts.ts'
import { createPlanner } from '../prediction/plan.ts'
import { createReplyRuleBook } from '../prompt/finish/reply-rules.ts'
import { createPromptBuilder } from '../prompt/prompt-builder.ts'
import { createBackendExecutor } from './backend-executor.ts'

type Answer = Reply | SvcError

const model = {
  serving: { kind: 'backend' },
  name: 'm',
  backend: 'mock',
  template: { useTokenizerTemplate: true },
  featureFlags: {},
  options: [],
  parameters: { model: 'm.gguf' },
  llm: {},
  folder: '/m',
  reasoning: {},
  function: {},
} as unknown as ModelConfig
const request: ChatRequest = {
  kind: 'chat',
  messages: [{ role: 'user', content: 'x' }],
  generation: {},
  choices: 1,
  stream: false,
}
const text = (value: string): Reply => Reply.fromPartial({ message: Buffer.from(value), tokens: 1, promptTokens: 2 })
const failure = (kind: ConstructorParameters<typeof SvcError>[0], code: string): SvcError =>
  new SvcError(kind, code, { code })

/** A placement whose leases answer from a list, one answer for each call. */
function world(answers: Answer[], { dies = false, run: runOwn }: { dies?: boolean; run?: typeof runOperation } = {}) {
  const log: string[] = []
  const client = {
    async predict() {
      const answer = answers.shift()
      if (SvcError.is(answer)) throw answer
      return answer
    },
    async *predictStream() {
      while (answers.length > 0) {
        const answer = answers.shift()
        if (SvcError.is(answer)) throw answer
        yield answer
      }
    },
  } as unknown as BackendClient
  const placement: Placement = {
    load: () => expect.unreachable(),
    async place() {
      log.push('place')
      return {
        client,
        place: 'local',
        backend: 'mock',
        release: () => void log.push('release'),
        reportFailure: (error: unknown) => void log.push(`failed ${SvcError.is(error) ? error.code : ''}`),
        hasDied: async () => dies,
      }
    },
  }
  const planner = createPlanner({
    prompts: createPromptBuilder(),
    facts: createModelFactsReader(),
    rules: createReplyRuleBook(),
    grammars: createCompileCache(),
  })
  const executor = createBackendExecutor(placement, planner, {
    run: runOwn,
    drafts: { create: () => expect.unreachable() },
  })
  const run = async (fields: Partial<ChatRequest> = {}): Promise<PredictionStep[]> => {
    const events: PredictionStep[] = []
    const options = { model, correlationId: 'c', signal: new AbortController().signal }
    for await (const steps of executor.predict({ ...request, ...fields }, options)) events.push(...steps)
    return events
  }
  return { log, run, executor }
}

/** A result that is read while its model gives it. */
interface LiveResult {
  readonly live: AsyncIterable<Uint8Array>
  readonly release: () => void
}

async function* givePieces({ fails }: { readonly fails: boolean }): AsyncGenerator<Uint8Array> {
  yield Buffer.from('first')
  if (fails) throw failure('unavailable', 'broken')
  yield Buffer.from('last')
}

async function readAll({ live }: LiveResult): Promise<string> {
  const pieces: Uint8Array[] = []
  for await (const piece of live) pieces.push(piece)
  return Buffer.concat(pieces).toString()
}

describe('createBackendExecutor', () => {
  it('gives text, the end of the choice and the usage, and gives the lease back', async () => {
    const { log, run } = world([text('hi')])
    expect(await run()).toEqual([
      { type: 'text-delta', choice: 0, text: 'hi', logprobs: undefined },
      { type: 'choice-end', choice: 0, finishReason: 'stop' },
      { type: 'usage', usage: { promptTokens: 2, completionTokens: 1, promptMs: 0, generationMs: 0 } },
    ])
    expect(log).toEqual(['place', 'release'])
  })

  it('tells of figures before the first event of a stream, and again only when they change', async () => {
    const { run } = world([text('a'), text('b')])
    expect((await run({ stream: true })).map(({ type }) => type)).toEqual([
      'progress',
      'text-delta',
      'text-delta',
      'choice-end',
      'usage',
    ])
  })

  it('loads once more when the backend has lost its model, and only once', async () => {
    const { log, run } = world([failure('precondition_failed', 'model_not_loaded'), text('hi')])
    expect((await run())[0]).toMatchObject({ text: 'hi' })
    expect(log).toEqual(['place', 'failed model_not_loaded', 'release', 'place', 'release'])
    const other = world([failure('not_found', 'model_identity_mismatch'), text('hi')])
    expect((await other.run())[0]).toMatchObject({ text: 'hi' })
    const again = world([
      failure('precondition_failed', 'model_not_loaded'),
      failure('precondition_failed', 'model_not_loaded'),
    ])
    await expect(again.run()).rejects.toMatchObject({ kind: 'internal', code: 'prediction_failed' })
    expect(again.log.filter((line) => line === 'place').length).toBe(2)
  })

  it('never tries again once something was produced', async () => {
    const { log, run } = world([text('part'), failure('precondition_failed', 'model_not_loaded')])
    await expect(run({ stream: true })).rejects.toMatchObject({ kind: 'internal' })
    expect(log.filter((line) => line === 'place').length).toBe(1)
  })

  it.each(['backend_unavailable', 'backend_cancelled'])(
    'asks a fresh backend when the process died: %s',
    async (code) => {
      const { log, run } = world([failure('unavailable', code), text('hi')], { dies: true })
      expect((await run())[0]).toMatchObject({ text: 'hi' })
      expect(log).toEqual(['place', `failed ${code}`, 'release', 'place', 'release'])
      const streamed = world([failure('unavailable', code), text('hi')], { dies: true })
      expect((await streamed.run({ stream: true })).some((step) => 'text' in step && step.text === 'hi')).toBe(true)
    },
  )

  it('tells of a second death, of one in the middle of an answer, and asks no other backend then', async () => {
    const dead = failure('unavailable', 'backend_unavailable')
    const twice = world([dead, dead, text('hi')], { dies: true })
    await expect(twice.run()).rejects.toMatchObject({ kind: 'internal', code: 'backend_stopped' })
    expect(twice.log.filter((line) => line === 'place').length).toBe(2)
    const late = world([text('part'), dead, text('hi')], { dies: true })
    await expect(late.run({ stream: true })).rejects.toMatchObject({ code: 'backend_stopped' })
    expect(late.log.filter((line) => line === 'place').length).toBe(1)
  })

  it('asks no other backend once the client has left', async () => {
    const { log, executor } = world([failure('unavailable', 'backend_unavailable'), text('hi')], { dies: true })
    const steps = executor.predict(request, { model, correlationId: 'c', signal: AbortSignal.abort() })
    await expect(steps[Symbol.asyncIterator]().next()).rejects.toMatchObject({ code: 'backend_stopped' })
    expect(log.filter((line) => line === 'place').length).toBe(1)
  })

  it('tells of a backend that cannot be reached and did not die as a failure of this server', async () => {
    const { log, run } = world([failure('unavailable', 'backend_unavailable')])
    await expect(run()).rejects.toMatchObject({ kind: 'internal', code: 'backend_stopped' })
    expect(log).toContain('failed backend_unavailable')
  })

  it('gives the lease back when its reader leaves', async () => {
    const { log, executor } = world([text('a'), text('b'), text('c')])
    const iterator = executor
      .predict({ ...request, stream: true }, { model, correlationId: 'c', signal: new AbortController().signal })
      [Symbol.asyncIterator]()
    await iterator.next()
    await iterator.return?.()
    expect(log).toEqual(['place', 'release'])
  })

  it.each<[string, (result: LiveResult) => Promise<void>, string[]]>([
    ['is read to its end', async (result) => void (await readAll(result)), ['release']],
    [
      'is read and released',
      async (result) => {
        await readAll(result)
        result.release()
      },
      ['release'],
    ],
    [
      'is released twice',
      async (result) => {
        result.release()
        result.release()
      },
      ['release'],
    ],
    ['is released', async (result) => result.release(), ['release']],
    [
      'is left after its first piece',
      async ({ live }) => {
        for await (const _ of live) break
      },
      ['release'],
    ],
    [
      'fails',
      async (result) => {
        await expect(readAll(result)).rejects.toMatchObject({ kind: 'internal' })
      },
      ['failed broken', 'release'],
    ],
  ])('holds the model of an operation until its result %s', async (name, end, expected) => {
    const live = givePieces({ fails: name === 'fails' })
    const { log, executor } = world([], { run: (async () => ({ promptTokens: 0, live })) as never })
    const options = { model, correlationId: 'c', signal: new AbortController().signal }
    const result = await executor.perform({ kind: 'tokenize', text: 'x' }, options)
    expect(log).toEqual(['place'])
    await end(result as unknown as LiveResult)
    expect(log).toEqual(['place', ...expected])
  })

  it('reports figures as they change and counts the prompt once, so that requests that end early are counted', async () => {
    const { run } = world([text('a'), text('b'), text('c')])
    const figures = (await run({ stream: true, choices: 1 })).flatMap((step) =>
      'usage' in step ? [[step.type, step.usage.promptTokens, step.usage.completionTokens]] : [],
    )
    expect(figures).toEqual([
      ['progress', 2, 1],
      ['usage', 2, 1],
    ])
    const two = world([text('a'), text('b')])
    // The first choice takes both answers; the second one gets none and adds nothing.
    const sums = (await two.run({ stream: true, choices: 2 })).flatMap((step) =>
      'usage' in step ? [step.usage.promptTokens] : [],
    )
    expect(new Set(sums)).toEqual(new Set([2]))
  })
})
