import { randomUUID } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import type { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-proto'
import type { WayOut } from '@svc/http-client'
import { openReceiverConnections } from '../../outbound/receiver-agent.ts'
import { type FinishedSpan, SPAN_KINDS } from './finished-span.ts'
import type { SpanOptions } from './read-options.ts'
import type { SpanScope } from './span-scope.ts'

/** Sends spans in the form of OTLP. */
export interface SpanExporter {
  /** @throws {Error} when the receiver has not taken them; nothing of them is kept */
  send(spans: readonly FinishedSpan[]): Promise<void>
  /** Breaks off the requests under way. */
  close(): void
}

/** Options of {@link createSpanExporter}. */
export interface SpanExporterOptions {
  readonly options: SpanOptions
  readonly version: string
  /** Additional certificate authorities, PEM. */
  readonly ca: string | undefined
  readonly wayOut: WayOut
}

type OfficialSpan = Parameters<OTLPTraceExporter['export']>[0][number]

const OK = 0
/** Time beside the limit of a batch, after which its connection is cut. */
const CUT_AFTER_MS = 1000
const ERROR = 2

/**
 * Creates the exporter: the official one of OpenTelemetry, without its SDK, which would measure every request twice.
 *
 * @throws {Error} when the certificates cannot be read
 */
export async function createSpanExporter({ options, version, ca, wayOut }: SpanExporterOptions): Promise<SpanExporter> {
  // only a server that sends spans loads it
  const { OTLPTraceExporter } = await import('@opentelemetry/exporter-trace-otlp-proto')
  const { url, certificateFile } = options
  const own = certificateFile === undefined ? ca : await readFile(certificateFile, 'utf8')
  const { agent, findWay } = openReceiverConnections(url, { ca: own, wayOut })
  const exporter = new OTLPTraceExporter({
    url,
    headers: { ...options.headers },
    timeoutMillis: options.timeoutMs,
    concurrencyLimit: 1,
    httpAgentOptions: () => agent,
    compression: (options.isCompressed ? 'gzip' : 'none') as NonNullable<ExporterSettings['compression']>,
    userAgent: `svc/${version}`,
  })
  const closing = new AbortController()
  const toOfficial = createConversion({ options, version })
  return {
    async send(spans) {
      await findWay({ signal: AbortSignal.any([closing.signal, AbortSignal.timeout(options.timeoutMs)]) })
      await new Promise<void>((resolve, reject) => {
        // The time limit of the exporter begins again with each byte of a reply.
        const cut = setTimeout(() => agent.destroy(), options.timeoutMs + CUT_AFTER_MS)
        exporter.export(spans.map(toOfficial), ({ code, error }) => {
          clearTimeout(cut)
          if (code === OK) resolve()
          else reject(error ?? new Error('the receiver took no spans'))
        })
      })
    },
    close() {
      closing.abort()
      agent.destroy()
    },
  }
}

type ExporterSettings = NonNullable<ConstructorParameters<typeof OTLPTraceExporter>[0]>

/** Creates the conversion to the spans of the official exporter. */
function createConversion({ options, version }: Pick<SpanExporterOptions, 'options' | 'version'>) {
  const attributes = { 'service.version': version, 'service.instance.id': randomUUID(), ...options.resource }
  const resource: OfficialSpan['resource'] = {
    attributes,
    merge: () => resource,
    getRawAttributes: () => Object.entries(attributes),
  }
  const instrumentationScope = { name: 'svc', version }
  return (span: FinishedSpan): OfficialSpan => {
    const { scope, startedAt, durationMs } = span
    const context = toContext(scope)
    const { parent } = scope
    return {
      name: span.name,
      kind: SPAN_KINDS[span.kind],
      spanContext: () => context,
      ...(parent === undefined ? {} : { parentSpanContext: { ...toContext(parent), isRemote: scope.isParentRemote } }),
      startTime: toTime(startedAt),
      endTime: toTime(startedAt + durationMs),
      duration: toTime(durationMs),
      status: { code: span.isFailed ? ERROR : OK },
      attributes: withoutEmpty(span.attributes),
      links: [],
      events: [],
      ended: true,
      resource,
      instrumentationScope,
      droppedAttributesCount: 0,
      droppedEventsCount: 0,
      droppedLinksCount: 0,
    }
  }
}

const toContext = ({ traceId, spanId, isSampled }: Pick<SpanScope, 'traceId' | 'spanId' | 'isSampled'>) => ({
  traceId,
  spanId,
  traceFlags: isSampled ? 1 : 0,
})

/** Seconds and nanoseconds. */
function toTime(milliseconds: number): [seconds: number, nanoseconds: number] {
  const seconds = Math.floor(milliseconds / 1000)
  return [seconds, Math.min(999_999_999, Math.round((milliseconds - seconds * 1000) * 1e6))]
}

function withoutEmpty(attributes: FinishedSpan['attributes']): OfficialSpan['attributes'] {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined))
}
