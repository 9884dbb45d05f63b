import { gunzipSync } from 'node:zlib'
import { BinaryReader, WireType } from '@bufbuild/protobuf/wire'
import { type RecordedRequest, startUpstream, type Upstream } from './upstream.ts'

/** A value of an attribute. Other kinds of the format are not read. */
export type OtlpValue = string | boolean | number | undefined

/** A span as it came, with the facts of its resource and scope. */
export interface OtlpSpan {
  /** Hexadecimal digits. */
  readonly traceId: string
  readonly spanId: string
  /** Empty for a root. */
  readonly parentSpanId: string
  readonly traceState: string
  readonly name: string
  /** 1 internal, 2 server, 3 client. */
  readonly kind: number
  /** Nanoseconds since the epoch. */
  readonly startedAt: bigint
  readonly endedAt: bigint
  readonly attributes: Readonly<Record<string, OtlpValue>>
  /** 0 unset, 1 ok, 2 error. */
  readonly statusCode: number
  readonly statusMessage: string
  readonly flags: number
  readonly resource: Readonly<Record<string, OtlpValue>>
  readonly scope: string
}

/** A receiver of spans over HTTP. Its replies are set on {@link OtlpReceiver.upstream}. */
export interface OtlpReceiver extends AsyncDisposable {
  /** The value of `OTEL_EXPORTER_OTLP_ENDPOINT`. */
  readonly endpoint: string
  readonly upstream: Upstream
  /** Every span that has come so far, in that order. */
  spans(): readonly OtlpSpan[]
}

/** Starts a receiver on a free port that takes everything. */
export async function startOtlpReceiver(): Promise<OtlpReceiver> {
  const upstream = await startUpstream()
  upstream.replyWith({ headers: { 'content-type': 'application/x-protobuf' } })
  return {
    endpoint: upstream.origin,
    upstream,
    spans: () => upstream.requests.flatMap(readSpans),
    [Symbol.asyncDispose]: () => upstream.close(),
  }
}

function readSpans(request: RecordedRequest): OtlpSpan[] {
  const isCompressed = request.header('content-encoding').includes('gzip')
  return decodeOtlpSpans(isCompressed ? gunzipSync(request.body) : request.body)
}

/** The fields of a message: by number, the values in their order. */
type Fields = ReadonlyMap<number, readonly FieldValue[]>
type FieldValue = Uint8Array | bigint | number

/** Reads an `ExportTraceServiceRequest` of opentelemetry.proto.collector.trace.v1. @throws {Error} for other bytes */
export function decodeOtlpSpans(bytes: Uint8Array): OtlpSpan[] {
  return readMessages(readFields(bytes), 1).flatMap((resourceSpans) => {
    const [resource] = readMessages(resourceSpans, 1)
    const attributes = resource === undefined ? {} : readAttributes(resource, 1)
    return readMessages(resourceSpans, 2).flatMap((scopeSpans) => {
      const [scope] = readMessages(scopeSpans, 1)
      const name = scope === undefined ? '' : readText(scope, 1)
      return readMessages(scopeSpans, 2).map((span) => toSpan(span, { resource: attributes, scope: name }))
    })
  })
}

function toSpan(span: Fields, origin: Pick<OtlpSpan, 'resource' | 'scope'>): OtlpSpan {
  const [status = new Map()] = readMessages(span, 15)
  return {
    traceId: readHex(span, 1),
    spanId: readHex(span, 2),
    traceState: readText(span, 3),
    parentSpanId: readHex(span, 4),
    name: readText(span, 5),
    kind: Number(readNumber(span, 6)),
    startedAt: BigInt(readNumber(span, 7)),
    endedAt: BigInt(readNumber(span, 8)),
    attributes: readAttributes(span, 9),
    statusMessage: readText(status, 2),
    statusCode: Number(readNumber(status, 3)),
    flags: Number(readNumber(span, 16)),
    ...origin,
  }
}

function readAttributes(message: Fields, number: number): Record<string, OtlpValue> {
  return Object.fromEntries(
    readMessages(message, number).map((pair) => {
      const [value = new Map()] = readMessages(pair, 2)
      return [readText(pair, 1), readValue(value)]
    }),
  )
}

/** Reads an `AnyValue`. */
function readValue(value: Fields): OtlpValue {
  if (value.has(1)) return readText(value, 1)
  if (value.has(2)) return readNumber(value, 2) !== 0n
  if (value.has(3)) return Number(BigInt.asIntN(64, BigInt(readNumber(value, 3))))
  if (!value.has(4)) return undefined
  const bits = new DataView(new ArrayBuffer(8))
  bits.setBigUint64(0, BigInt(readNumber(value, 4)))
  return bits.getFloat64(0)
}

function readMessages(message: Fields, number: number): Fields[] {
  return readBytes(message, number).map(readFields)
}

const readBytes = (message: Fields, number: number): Uint8Array[] =>
  (message.get(number) ?? []).filter((value) => value instanceof Uint8Array)

const readText = (message: Fields, number: number): string =>
  new TextDecoder('utf-8', { fatal: true }).decode(readBytes(message, number).at(-1))

const readHex = (message: Fields, number: number): string =>
  Buffer.from(readBytes(message, number).at(-1) ?? []).toString('hex')

function readNumber(message: Fields, number: number): bigint | number {
  const value = message.get(number)?.at(-1) ?? 0
  return value instanceof Uint8Array ? 0 : value
}

function readFields(bytes: Uint8Array): Fields {
  const reader = new BinaryReader(bytes)
  const fields = new Map<number, FieldValue[]>()
  while (reader.pos < reader.len) {
    const [number, type] = reader.tag()
    const values = fields.get(number) ?? []
    fields.set(number, values)
    values.push(readOne(reader, type))
  }
  return fields
}

function readOne(reader: BinaryReader, type: WireType): FieldValue {
  switch (type) {
    case WireType.Varint:
      return BigInt(reader.uint64())
    case WireType.Bit64:
      return BigInt(reader.fixed64())
    case WireType.Bit32:
      return reader.fixed32()
    case WireType.LengthDelimited:
      return reader.bytes()
    default:
      throw new Error(`wire type ${type} is not in this format`)
  }
}
