import { createFakeClock } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { createModel } from '../catalog/__fixtures__/model.ts'
import type { MediaUsage } from '../inference/core/events.ts'
import type { ExecuteOptions, Executor } from '../inference/engine/executor.ts'
import { traceExecutor } from '../inference/tracing/trace-calls.ts'
import { type MediaFigures, nameMediaFigures } from './media-figures.ts'
import type { BackendTraceRecorder } from './recorders.ts'
import { type SpannedRequest, toCallSpan, toRequestSpans } from './spans/request-spans.ts'
import { RequestTrace, type RequestTraceParts, type TracedRequest } from './traces/request-trace.ts'

const SCOPE = { child: () => SCOPE } as never as SpannedRequest['scope']

const toAccount = (media: MediaFigures | undefined) => ({
  requestedModel: 'm',
  servedModel: { name: 'm' },
  usage: { promptTokens: 0, completionTokens: 0, media },
  failure: undefined,
  upstreamStatus: undefined,
})

function trace(media: MediaFigures | undefined): Record<string, unknown> {
  const parts = { clock: createFakeClock(), maxBodyBytes: 0, budget: {} } as unknown as RequestTraceParts
  const request = { requestId: 'r', route: { path: '/x' }, principal: {}, startedAt: 0 } as unknown as TracedRequest
  const own = new RequestTrace(request, parts)
  own.account = toAccount(media)
  return JSON.parse(own.describe('1'))
}

function span(media: MediaFigures | undefined): Readonly<Record<string, unknown>> {
  const request = { scope: SCOPE, status: 200, stages: [], account: toAccount(media) }
  return toRequestSpans(request as unknown as SpannedRequest)[0]?.attributes ?? {}
}

const pick = (record: Readonly<Record<string, unknown>>, names: readonly string[]): object =>
  Object.fromEntries(names.flatMap((name) => (name in record ? [[name, record[name]]] : [])))

const NAMES = ['media_seconds', 'spoken_characters', 'images']

// verifies usage:media:traces
describe.each<[MediaFigures | undefined, Readonly<Record<string, number>>]>([
  [undefined, {}],
  [{}, {}],
  [{ seconds: 0, characters: 0, images: 0 }, {}],
  [{ seconds: 1.5 }, { media_seconds: 1.5 }],
  [{ seconds: undefined, characters: 7 }, { spoken_characters: 7 }],
  [
    { seconds: 2, characters: 3, images: 4 },
    { media_seconds: 2, spoken_characters: 3, images: 4 },
  ],
])('media of %j', (media, expected) => {
  const ofServer = Object.fromEntries(Object.entries(expected).map(([name, value]) => [`svc.${name}`, value]))

  it('have names', () => {
    expect(nameMediaFigures(media)).toEqual(expected)
  })

  it('are in the trace and the span of the request', () => {
    expect(pick(trace(media), NAMES)).toEqual(expected)
    const names = NAMES.map((name) => `svc.${name}`)
    expect(pick(span(media), names)).toEqual(ofServer)
  })

  it('are in the trace and the span of the call, and are counted all the same', async () => {
    const data: Record<string, string | number | boolean> = {}
    const traces = {
      isOn: true,
      openSpan: () => undefined,
      begin: () => ({ note: (more: typeof data) => void Object.assign(data, more), end: () => undefined }),
    } as BackendTraceRecorder
    const executor = {
      perform: async (_request: unknown, { onMedia }: ExecuteOptions) => {
        if (media !== undefined) onMedia?.(media)
        return { promptTokens: 0, tokens: [] }
      },
    } as unknown as Executor
    const counted: MediaUsage[] = []
    const options = { model: createModel(), onMedia: (one: MediaUsage) => void counted.push(one) }
    const request = { kind: 'tokenize', text: '' } as const
    await traceExecutor(executor, traces).perform(request, { ...options, signal: new AbortController().signal })
    expect([data, counted]).toEqual([{ prompt_tokens: 0, ...expected }, media === undefined ? [] : [media]])
    const { attributes } = toCallSpan({ scope: SCOPE, type: 'tokenize', data } as Parameters<typeof toCallSpan>[0])
    expect(attributes).toMatchObject({ 'gen_ai.usage.input_tokens': 0, ...ofServer })
  })
})
