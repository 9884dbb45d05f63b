import { createRevocations, type Principal } from '@svc/auth'
import { createMemoryStores } from '@svc/auth/memory'
import { createQuotas } from '@svc/auth/quotas'
import { createUsage, createUsageRecorder } from '@svc/auth/usage'
import { SvcError } from '@svc/errors'
import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { toUsageReply } from '../../api/admin/usage/wire-usage.ts'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelConfig } from '../../catalog/model-config.ts'
import { createMetrics } from '../../monitoring/metrics.ts'
import { NO_PRICES } from '../../spend/price-book.ts'
import { createUsageRecords } from '../../usage/record-usage.ts'
import { createIdleStages } from '../core/__fixtures__/idle-stages.ts'
import { createModelSlots } from '../core/admission.ts'
import { countRequest } from '../core/count-request.ts'
import type { MediaUsage } from '../core/events.ts'
import { createModelCalls } from '../core/model-calls.ts'
import { createRequestCore } from '../core/pipeline.ts'
import type { RequestContext } from '../core/ports.ts'
import type { ExecuteOptions, Executor } from '../engine/executor.ts'
import type { OperationCall } from '../replies/wire-format.ts'
import { createFailedAttempts } from '../serving/failover/failed-attempts.ts'
import { createFailover } from '../serving/failover/failover.ts'
import { createFailoverGroups } from '../serving/failover/groups.ts'
import { createAccess } from './access.ts'
import { createModelStage } from './model.ts'

const SIGNAL = { signal: new AbortController().signal }
const FAILURE = new SvcError('unavailable', 'broke')

/** The scripted call of a model: the totals that it tells, one after the other, and how it ends. */
interface Script {
  readonly tells?: readonly MediaUsage[]
  readonly ends?: 'whole' | 'live' | 'fails' | 'waits'
  readonly promptTokens?: number
}

const SINGLE = createModel({ name: 'm' })
function createGroup(): ModelConfig {
  const targets = ['one', 'two'].map((name) => ({ name, model: createModel({ name }) }))
  const failover = { targets: targets.map(({ name }) => ({ model: name })) }
  return createModel({ backend: '', failover, serving: { kind: 'failover', targets } })
}

/** A core whose models follow scripts, with real quotas, records and reports. */
async function createWorld(scripts: Readonly<Record<string, Script>>, model: ModelConfig = SINGLE) {
  const clock = createFakeClock({ now: Date.UTC(2026, 0, 1) })
  const stores = createMemoryStores()
  const quotas = createQuotas({ store: stores.quotas, clock, revocations: createRevocations() })
  await quotas.putRule('ada', { maxTokens: 1000, maxRequests: 3, window: '1d' }, SIGNAL)
  const rules = await stores.quotas.listRules('ada', SIGNAL)
  const recorder = createUsageRecorder({ store: stores.usage, clock })
  const usage = createUsageRecords({ stored: recorder, book: NO_PRICES })
  const metrics = createMetrics()
  const left = new AbortController()
  const executor = {
    async perform(_request: unknown, { model: { name }, onMedia, signal }: ExecuteOptions) {
      const { tells = [], ends = 'whole', promptTokens = 0 } = scripts[name] ?? {}
      async function* give() {
        for (const media of tells) {
          onMedia?.(media)
          yield media
        }
      }
      if (ends === 'live') return { promptTokens, live: give() }
      for await (const _ of give());
      if (ends === 'fails') throw FAILURE
      if (ends === 'waits') {
        left.abort(new SvcError('cancelled', 'the client left'))
        signal.throwIfAborted()
      }
      return { promptTokens }
    },
  } as unknown as Executor
  const failover = createFailover({
    groups: createFailoverGroups({ clock, onEvent: () => undefined, exists: () => true }),
    slots: createModelSlots(),
    prober: { watch: () => undefined },
    failed: createFailedAttempts({ usage, metrics }),
    audit: { record: () => [], flush: () => Promise.resolve() },
    clock,
  })
  const models = createModelCalls({
    executor,
    ownStores: { perform: () => expect.unreachable() },
    translate: () => expect.unreachable(),
    failover,
  })
  const request = { kind: 'tokenize', text: '' } as const
  const call: OperationCall = {
    kind: 'operation',
    request,
    async perform(run) {
      const { live } = await run<'tokenize'>(request)
      return { kind: 'json', body: () => live }
    },
  }
  const core = createRequestCore(
    {
      ...createIdleStages(),
      resolve: () => ({ requestedModel: 'm', replyModel: 'm', model, through: [] }),
      access: createAccess(quotas),
      parse: () => ({ call }),
      model: createModelStage({ models, relay: () => expect.unreachable(), usage, metrics, clock }),
    },
    { onEnd: (ledger, thrown) => countRequest(metrics.server, ledger, thrown) },
  )
  const principal = { id: 'ada', name: 'Ada', role: 'user', quotas: rules } as unknown as Principal
  const context = {
    route: { path: '/v1/audio/x', family: 'compatible', usecase: 'tokenize' },
    requestId: 'r',
    principal,
    signal: left.signal,
    abort: left.signal,
    startedAt: 0,
    log: { debug() {}, info() {}, warn() {}, error() {} },
    header: () => undefined,
    useModel: () => undefined,
  } as unknown as RequestContext
  /** Serves a request. @param parts of a live result that the client reads before it leaves @default all */
  async function serve({ parts = Number.POSITIVE_INFINITY } = {}): Promise<unknown> {
    let count = 0
    const served = core.serve({ context, format: {} as never, source: { body: {} as never } }, async (reply) => {
      if (reply.kind !== 'json') return
      const live = reply.body({} as never) as AsyncIterable<unknown> | undefined
      if (live === undefined) return
      for await (const _ of live) {
        count += 1
        if (count >= parts) throw new SvcError('cancelled', 'the client left')
      }
    })
    return served.then(
      () => undefined,
      (error: unknown) => error,
    )
  }
  async function report() {
    await recorder.flush(SIGNAL)
    const { usage: rows, totals } = toUsageReply(
      await createUsage({ store: stores.usage, clock }).readUsage({ period: 'all', view: 'all' }, SIGNAL),
    )
    await quotas.flush()
    const [status] = await quotas.readStatus('ada', SIGNAL)
    const lines = (await (await metrics.registry()).metrics()).split('\n')
    return {
      rows: rows.map((row) => [row.model, row.media_seconds, row.spoken_characters, row.images]),
      totals,
      quota: [status?.requests, status?.tokens],
      series: lines.filter((line) => /^svc_model_(media|spoken|images).*\{/.test(line)).sort(),
    }
  }
  return { serve, report }
}

const SOME = { seconds: 90.25 }

describe('a request that uses media and no tokens', () => {
  // verifies usage:media:recorded
  // verifies usage:media:metrics
  it('is one row, and one request and no tokens of the quota', async () => {
    const { serve, report } = await createWorld({ m: { tells: [{ seconds: 1 }, { seconds: 3.5, characters: 120 }] } })
    await serve()
    expect(await report()).toEqual({
      rows: [['m', 3.5, 120, undefined]],
      totals: {
        prompt_tokens: 0,
        completion_tokens: 0,
        total_tokens: 0,
        request_count: 1,
        media_seconds: 3.5,
        spoken_characters: 120,
      },
      quota: [1, 0],
      series: ['svc_model_media_seconds_total{model="m"} 3.5', 'svc_model_spoken_characters_total{model="m"} 120'],
    })
  })

  // verifies usage:media:summed
  it('adds to others of its model', async () => {
    const { serve, report } = await createWorld({ m: { tells: [{ seconds: 0.1, images: 2 }], promptTokens: 4 } })
    for (let count = 0; count < 3; count += 1) await serve()
    const { rows, totals, quota, series } = await report()
    expect([rows, totals.request_count, quota]).toEqual([[['m', 0.3, undefined, 6]], 3, [3, 12]])
    expect(series).toContain('svc_model_images_total{model="m"} 6')
    // the fourth one is refused, and uses nothing
    expect(await serve()).toMatchObject({ code: 'quota_exceeded' })
    expect((await report()).totals).toEqual(totals)
  })

  // verifies usage:media:left
  it.each<[string, Script, { parts?: number }, unknown[][]]>([
    ['leaves what it has used when its call fails', { tells: [SOME], ends: 'fails' }, {}, [['m', 90.25]]],
    ['leaves no row when its call fails before', { ends: 'fails' }, {}, []],
    ['leaves no row when the call that failed has told of nothing', { tells: [{ seconds: 0 }], ends: 'fails' }, {}, []],
    ['counts when its client leaves', { tells: [SOME], ends: 'waits' }, {}, [['m', 90.25]]],
    ['counts when its client leaves before any figures', { ends: 'waits' }, {}, [['m', undefined]]],
    ['counts all of a live result', { tells: [{ seconds: 1 }, { seconds: 2 }], ends: 'live' }, {}, [['m', 2]]],
    [
      'counts the part of a live result that was made',
      { tells: [{ seconds: 1 }, { seconds: 2 }], ends: 'live' },
      { parts: 1 },
      [['m', 1]],
    ],
  ])('%s', async (_name, script, options, expected) => {
    const { serve, report } = await createWorld({ m: script })
    await serve(options)
    const { rows, quota } = await report()
    expect(rows.map((row) => row.slice(0, 2))).toEqual(expected)
    expect(quota).toEqual([expected.length, 0])
  })
})

describe('a request of media to a failover group', () => {
  // verifies usage:media:failed-target
  it.each<[string, Script, Script, unknown[][], unknown[]]>([
    [
      'counts once when the first target has used nothing',
      { ends: 'fails' },
      { tells: [SOME] },
      [['two', 90.25]],
      [1, 0],
    ],
    [
      'counts a failed target in a row of its own',
      { tells: [{ seconds: 7 }], ends: 'fails' },
      { tells: [SOME] },
      [
        ['one', 7],
        ['two', 90.25],
      ],
      [1, 0],
    ],
    [
      'counts as one request when every target has failed',
      { tells: [{ seconds: 7 }], ends: 'fails' },
      { ends: 'fails' },
      [['one', 7]],
      [1, 0],
    ],
    ['counts as none when no target has used anything', { ends: 'fails' }, { ends: 'fails' }, [], [0, 0]],
  ])('%s', async (_name, one, two, expected, counted) => {
    const { serve, report } = await createWorld({ one, two }, createGroup())
    await serve()
    const { rows, quota, series } = await report()
    expect(rows.map((row) => row.slice(0, 2)).sort()).toEqual(expected)
    expect(quota).toEqual(counted)
    expect(series).toEqual(
      expected.map(([name, seconds]) => `svc_model_media_seconds_total{model="${name}"} ${seconds}`),
    )
  })
})
