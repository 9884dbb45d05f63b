import { once } from 'node:events'
import { SvcError } from '@svc/errors'
import { parseJson } from '@svc/json'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createMetrics } from '../../monitoring/metrics.ts'
import type { UsageRecord } from '../../monitoring/recorders.ts'
import { createWaitingSlots } from '../core/__fixtures__/waiting-slots.ts'
import { createModelSlots, type ModelSlots } from '../core/admission.ts'
import { NO_USAGE } from '../core/events.ts'
import { RequestLedger } from '../core/ledger.ts'
import { createModelCalls } from '../core/model-calls.ts'
import type { ResolvedRequest } from '../core/pipeline.ts'
import { Cleanup } from '../core/pipeline.ts'
import type { RequestContext } from '../core/ports.ts'
import { JsonBody } from '../documents/request-document.ts'
import type { Executor } from '../engine/executor.ts'
import { type GenerationCall, toOperationCall } from '../replies/wire-format.ts'
import { createFailedAttempts } from '../serving/failover/failed-attempts.ts'
import { createFailover } from '../serving/failover/failover.ts'
import { createFailoverGroups } from '../serving/failover/groups.ts'
import { createModelStage } from './model.ts'

const COUNTED = { ...NO_USAGE, promptTokens: 7 }

/** The stage with a failover group of `one` and `two`, of which the first fails, and a client that can leave. */
function start(kind: 'chat' | 'embed', reached: () => void, slots: ModelSlots = createModelSlots()) {
  const clock = createFakeClock()
  const left = new AbortController()
  const recorded: UsageRecord[] = []
  const usage = { record: (entry: UsageRecord) => void recorded.push(entry) }
  const metrics = createMetrics()
  const targets = ['one', 'two'].map((name) => ({ name, model: createModel({ name }) }))
  const failover = { targets: targets.map(({ name }) => ({ model: name })) }
  const model = createModel({ backend: '', failover, serving: { kind: 'failover', targets } })
  /** The call of a target that still runs when the client leaves. */
  const work = async (target: string, signal: AbortSignal): Promise<never> => {
    if (target === 'one') throw new SvcError('unavailable', 'down')
    reached()
    await once(signal, 'abort')
    throw new SvcError('cancelled', 'the client left')
  }
  const executor = {
    async *predict(_request: unknown, options: { model: ModelConfig; signal: AbortSignal }) {
      if (options.model.name === 'two') yield [{ type: 'progress', usage: COUNTED }]
      await work(options.model.name, options.signal)
    },
    perform: (_request: unknown, options: { model: ModelConfig; signal: AbortSignal }) =>
      work(options.model.name, options.signal),
  } as unknown as Executor
  const models = createModelCalls({
    executor,
    ownStores: { perform: () => expect.unreachable() },
    translate: () => expect.unreachable(),
    failover: createFailover({
      groups: createFailoverGroups({ clock, onEvent: () => undefined, exists: () => true }),
      slots,
      prober: { watch: () => undefined },
      failed: createFailedAttempts({ usage, metrics }),
      audit: { record: () => [], flush: () => Promise.resolve() },
      clock,
    }),
  })
  const stage = createModelStage({ models, relay: () => expect.unreachable(), usage, metrics, clock })
  const context = {
    requestId: 'r',
    route: { path: '/v1/x' },
    principal: { id: 'ada' },
    signal: left.signal,
    startedAt: clock.monotonic(),
    header: () => undefined,
  } as unknown as RequestContext
  const request = {
    context,
    model,
    requestedModel: 'm',
    document: new JsonBody(parseJson(Buffer.from('{}'))),
  } as Partial<ResolvedRequest> as ResolvedRequest
  const call =
    kind === 'embed'
      ? toOperationCall<'embed'>({ kind, inputs: [] }, () => undefined)
      : ({ kind: 'generation', request: { kind } } as GenerationCall)
  const run = async (): Promise<void> => {
    const cleanup = new Cleanup()
    const ledger = new RequestLedger('m', model)
    let thrown: unknown
    try {
      const reply = await stage({ request, filtered: { splices: [] }, parsed: { call }, ledger }, cleanup)
      if (reply.kind === 'events') for await (const _ of reply.batches) expect.unreachable()
    } catch (error) {
      thrown = error
    }
    cleanup.run(thrown)
  }
  return { left, recorded, run }
}

describe('a request to a failover group whose client leaves before the first content', () => {
  it.each([
    ['chat', 7],
    ['embed', 0],
  ] as const)('is counted under the name of the target that was asked: %s', async (kind, promptTokens) => {
    const reached = createDeferred<void>()
    const { left, recorded, run } = start(kind, () => reached.resolve())
    const running = run()
    await reached.promise
    left.abort()
    await running
    const row = { requestedModel: 'm', servedModel: 'two' }
    expect(recorded).toEqual([expect.objectContaining({ ...row, promptTokens, completionTokens: 0 })])
  })

  it.each(['chat', 'embed'] as const)('leaves no slot taken where slots come later: %s', async (kind) => {
    const reached = createDeferred<void>()
    const slots = createWaitingSlots()
    const { left, recorded, run } = start(kind, () => reached.resolve(), slots)
    const running = run()
    await reached.promise
    expect(slots.held).toBe(1)
    left.abort()
    await running
    expect([slots.held, slots.waiting]).toEqual([0, 0])
    expect(recorded).toHaveLength(1)
  })
})
