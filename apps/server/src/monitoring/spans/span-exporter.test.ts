import { setTimeout } from 'node:timers/promises'
import { createWayOut } from '@svc/http-client'
import { startForwardProxy, startOtlpReceiver } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { FinishedSpan } from './finished-span.ts'
import { readSpanOptions } from './read-options.ts'
import { createSpanExporter, type SpanExporter } from './span-exporter.ts'
import { newTraceId, SpanScope } from './span-scope.ts'

async function open(
  endpoint: string,
  more: Record<string, string> = {},
  wayOut = createWayOut(() => ({})),
): Promise<SpanExporter> {
  const { options } = readSpanOptions({
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_EXPORTER_OTLP_TIMEOUT: '300',
    ...more,
  })
  if (options === undefined) throw new Error('no options')
  return createSpanExporter({ options, version: '1.2.3', ca: undefined, wayOut })
}

const NOT_FOUND = Object.assign(new Error('not found'), { code: 'ENOTFOUND' })

const scope = new SpanScope(newTraceId(), { isSampled: true, parent: undefined, isParentRemote: false })
const span: FinishedSpan = {
  scope,
  name: 'chat m',
  kind: 'client',
  startedAt: 1_700_000_000_000.5,
  durationMs: 2.25,
  isFailed: true,
  attributes: { 'gen_ai.request.model': 'm', count: 3, share: 0.5, yes: true, none: undefined },
}

describe('the exporter of spans', () => {
  it('writes every field as it is, to the nanosecond', async () => {
    await using receiver = await startOtlpReceiver()
    const exporter = await open(receiver.endpoint)
    await exporter.send([span, { ...span, scope: scope.child(), isFailed: false }])
    const [first, second] = receiver.spans()
    expect(first).toMatchObject({
      traceId: scope.traceId,
      spanId: scope.spanId,
      parentSpanId: '',
      name: 'chat m',
      kind: 3,
      startedAt: 1_700_000_000_000_500_000n,
      endedAt: 1_700_000_000_002_750_000n,
      attributes: { 'gen_ai.request.model': 'm', count: 3, share: 0.5, yes: true },
      statusCode: 2,
      resource: { 'service.name': 'svc', 'service.version': '1.2.3' },
    })
    expect(first?.attributes).not.toHaveProperty('none')
    expect(second).toMatchObject({ traceId: scope.traceId, parentSpanId: scope.spanId, statusCode: 0 })
    exporter.close()
  })

  it('takes the proxy of the settings as soon as they name one', async () => {
    await using receiver = await startOtlpReceiver()
    await using proxy = await startForwardProxy()
    let http = ''
    const endpoint = receiver.endpoint.replace('127.0.0.1', 'spans.example').replace('localhost', 'spans.example')
    const wayOut = createWayOut(() => ({ http }), { lookup: (_host, _options, answer) => answer(NOT_FOUND, '') })
    const exporter = await open(endpoint, {}, wayOut)
    await expect(exporter.send([span])).rejects.toThrow()
    http = proxy.url
    await exporter.send([span])
    expect(receiver.spans()).toHaveLength(1)
    expect(proxy.requests).toMatchObject([{ method: 'POST', target: `${endpoint}/v1/traces` }])
    exporter.close()
  })

  it('ends with a receiver that sends its reply byte by byte', async () => {
    await using receiver = await startOtlpReceiver()
    async function* drip(): AsyncGenerator<string> {
      for (;;) {
        await setTimeout(100)
        yield 'x'
      }
    }
    receiver.upstream.replyWith({ body: drip() })
    const exporter = await open(receiver.endpoint)
    // A reply of 200 that breaks off counts as taken.
    await exporter.send([span]).catch(() => undefined)
    receiver.upstream.replyWith({})
    await exporter.send([span])
    expect(receiver.spans()).toHaveLength(2)
    exporter.close()
  })

  it('fails where the receiver refuses', async () => {
    await using receiver = await startOtlpReceiver()
    receiver.upstream.replyWith({ status: 403, body: 'no' })
    const exporter = await open(receiver.endpoint)
    await expect(exporter.send([span])).rejects.toMatchObject({ code: 403 })
    exporter.close()
  })
})
