import { once } from 'node:events'
import { SvcError } from '@svc/errors'
import { parseJson } from '@svc/json'
import { createDeferred, createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createMetrics } from '../../monitoring/metrics.ts'
import { createRing, type TraceRecord, type UsageRecord } from '../../monitoring/recorders.ts'
import { createModelSlots } from '../admission.ts'
import { NO_USAGE } from '../events.ts'
import { Exchange } from '../exchange.ts'
import type { Executor } from '../executor.ts'
import { createChains } from '../failover/chains.ts'
import { createFailedAttempts } from '../failover/failed-attempts.ts'
import { createFailover } from '../failover/failover.ts'
import type { InferenceRequest } from '../inference-request.ts'
import type { RequestContext } from '../ports.ts'
import { type ModelStageOptions, modelStage } from './model.ts'

const COUNTED = { ...NO_USAGE, promptTokens: 7 }

/** The stage over a chain of `one` and `two`, of which the first fails, and a client that can leave. */
function start(kind: InferenceRequest['kind'], reached: () => void) {
  const clock = createFakeClock()
  const left = new AbortController()
  const usage = createRing<UsageRecord>(8)
  const traces = createRing<TraceRecord>(8)
  const metrics = createMetrics()
  const targets = ['one', 'two'].map((name) => ({ name, model: createModel({ name }) }))
  const failover = { targets: targets.map(({ name }) => ({ model: name })) }
  const model = createModel({ backend: '', failover, serving: { kind: 'failover', targets } })
  /** The call of a target that is still at it when the client leaves. */
  const work = async (target: string, signal: AbortSignal): Promise<never> => {
    if (target === 'one') throw new SvcError('unavailable', 'down')
    reached()
    await once(signal, 'abort')
    throw new SvcError('cancelled', 'the client left')
  }
  const executor = {
    async *predict(_request: unknown, options: { model: ModelConfig; signal: AbortSignal }) {
      if (options.model.name === 'two') yield { type: 'progress', usage: COUNTED }
      await work(options.model.name, options.signal)
    },
    perform: (_request: unknown, options: { model: ModelConfig; signal: AbortSignal }) =>
      work(options.model.name, options.signal),
  } as unknown as Executor
  const stage = modelStage({
    executor,
    upstreams: {} as ModelStageOptions['upstreams'],
    failover: createFailover({
      chains: createChains({ clock, onEvent: () => undefined, isThere: () => true }),
      slots: createModelSlots(),
      prober: { watch: () => undefined },
      failed: createFailedAttempts({ usage, metrics, clock }),
      audit: { record: () => [], flush: () => Promise.resolve() },
      clock,
    }),
    usage,
    traces,
    metrics,
    clock,
  })
  const call = {
    requestId: 'r',
    row: { path: '/v1/x' },
    principal: { id: 'ada' },
    signal: left.signal,
    startedAt: clock.monotonic(),
    header: () => undefined,
  } as unknown as RequestContext
  const exchange = new Exchange({
    call,
    codec: {},
    writer: { setHeader: () => undefined },
    body: { message: parseJson(Buffer.from('{}')) },
  } as unknown as ConstructorParameters<typeof Exchange>[0])
  exchange.requestedModel = 'm'
  exchange.model = model
  exchange.request = { kind } as InferenceRequest
  const run = async (): Promise<void> => {
    let thrown: unknown
    try {
      await stage(exchange)
      for await (const _ of exchange.events) expect.unreachable()
    } catch (error) {
      thrown = error
    }
    exchange.end(thrown)
  }
  return { left, usage, traces, run }
}

describe('a request of a chain whose client leaves before a target has said anything', () => {
  it.each([
    ['chat', 7],
    ['embed', 0],
  ] as const)('is counted under the name of the target that was asked: %s', async (kind, promptTokens) => {
    const reached = createDeferred<void>()
    const { left, usage, traces, run } = start(kind, () => reached.resolve())
    const running = run()
    await reached.promise
    left.abort()
    await running
    const row = { requestedModel: 'm', servedModel: 'two', promptTokens, completionTokens: 0 }
    expect(usage.entries()).toEqual([expect.objectContaining(row)])
    expect(traces.entries()).toEqual([expect.objectContaining({ ...row, errorCode: 'cancelled' })])
  })
})
