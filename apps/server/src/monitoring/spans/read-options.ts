import type { SamplerOptions } from './sampler.ts'

/** Variables of the process. */
type Variables = Readonly<Record<string, string | undefined>>

/** Options for sending spans. */
export interface SpanOptions {
  /** The address that takes requests with spans. */
  readonly url: string
  readonly headers: Readonly<Record<string, string>>
  readonly isCompressed: boolean
  /** Time of one request, with its repeats. */
  readonly timeoutMs: number
  readonly sampler: SamplerOptions
  /** Attributes of this server, such as `service.name`. */
  readonly resource: Readonly<Record<string, string>>
  /** File with the certificate authorities of the receiver, PEM. */
  readonly certificateFile: string | undefined
}

/** The options in the variables of OpenTelemetry. */
export interface ReadSpanOptions {
  /** Undefined when no spans are sent. */
  readonly options: SpanOptions | undefined
  /** Values that could not be used, each in a sentence without the value, which may be a secret. */
  readonly problems: readonly string[]
}

const BASE = 'OTEL_EXPORTER_OTLP_'
const TRACES = 'OTEL_EXPORTER_OTLP_TRACES_'
const TIMEOUT_MS = 10_000
const MAX_TIMEOUT_MS = 60_000
const MAX_VALUE = 256
const TOKEN = /^[!#$%&'*+.^_`|~\w-]+$/
/** Headers that the request itself has. */
const RESERVED = new Set([
  'content-length',
  'content-type',
  'content-encoding',
  'transfer-encoding',
  'host',
  'connection',
])

/**
 * Reads the variables. OpenTelemetry asks programs to report a value that they cannot use and to go on, because many
 * programs may share the variables; so none of them keeps the server from its start.
 */
export function readSpanOptions(variables: Variables): ReadSpanOptions {
  const problems: string[] = []
  const read = (name: string): string | undefined => {
    const value = variables[name]?.trim()
    return value === '' ? undefined : value
  }
  const readOwn = (name: string) =>
    read(`${TRACES}${name}`) === undefined
      ? ([`${BASE}${name}`, read(`${BASE}${name}`)] as const)
      : ([`${TRACES}${name}`, read(`${TRACES}${name}`)] as const)
  const none = { options: undefined, problems }

  if (read('OTEL_SDK_DISABLED')?.toLowerCase() === 'true') return none
  const exporter = read('OTEL_TRACES_EXPORTER') ?? 'otlp'
  if (exporter === 'none') return none
  if (exporter !== 'otlp') {
    problems.push('OTEL_TRACES_EXPORTER must be otlp or none; no spans are sent')
    return none
  }
  const [protocolName, protocol = 'http/protobuf'] = readOwn('PROTOCOL')
  if (protocol !== 'http/protobuf') {
    problems.push(`${protocolName} must be http/protobuf; no spans are sent`)
    return none
  }
  const url = readUrl(read, problems)
  if (url === undefined) return none

  const [headersName, headersText] = readOwn('HEADERS')
  const [compressionName, compression = 'none'] = readOwn('COMPRESSION')
  if (compression !== 'none' && compression !== 'gzip')
    problems.push(`${compressionName} must be gzip or none; spans are sent without compression`)
  const [timeoutName, timeoutText] = readOwn('TIMEOUT')
  const timeoutMs = timeoutText === undefined ? TIMEOUT_MS : readWhole(timeoutText)
  if (timeoutMs === undefined)
    problems.push(`${timeoutName} must be milliseconds from 1 to ${MAX_TIMEOUT_MS}; 10000 holds`)
  const headers = readPairs(headersText, { name: headersName, problems, isName: isHeaderName, isValue: isHeaderValue })
  return {
    options: {
      url,
      headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
      isCompressed: compression === 'gzip',
      timeoutMs: timeoutMs ?? TIMEOUT_MS,
      sampler: readSampler(read, problems),
      resource: readResource(read, problems),
      certificateFile: readOwn('CERTIFICATE')[1],
    },
    problems,
  }
}

type Read = (name: string) => string | undefined

/** Gives the address of spans: the one of traces as it is, or the common one with the path of traces. */
function readUrl(read: Read, problems: string[]): string | undefined {
  const own = read(`${TRACES}ENDPOINT`)
  const name = own === undefined ? `${BASE}ENDPOINT` : `${TRACES}ENDPOINT`
  const text = own ?? read(name) ?? ''
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url === undefined || !/^https?:$/.test(url.protocol)) {
    problems.push(`${name} must be an http or https URL; no spans are sent`)
    return undefined
  }
  url.hash = ''
  if (own === undefined) url.pathname = `${url.pathname.replace(/\/+$/, '')}/v1/traces`
  return url.href
}

function readWhole(text: string): number | undefined {
  const value = /^\d{1,9}$/.test(text) ? Number(text) : 0
  return value >= 1 && value <= MAX_TIMEOUT_MS ? value : undefined
}

const SAMPLERS: Readonly<Record<string, { readonly followsCaller: boolean; readonly ratio: number | undefined }>> = {
  always_on: { followsCaller: false, ratio: 1 },
  always_off: { followsCaller: false, ratio: 0 },
  traceidratio: { followsCaller: false, ratio: undefined },
  parentbased_always_on: { followsCaller: true, ratio: 1 },
  parentbased_always_off: { followsCaller: true, ratio: 0 },
  parentbased_traceidratio: { followsCaller: true, ratio: undefined },
}

function readSampler(read: Read, problems: string[]): SamplerOptions {
  const name = read('OTEL_TRACES_SAMPLER') ?? 'parentbased_always_on'
  const known = Object.hasOwn(SAMPLERS, name) ? SAMPLERS[name] : undefined
  if (known === undefined) {
    problems.push(`OTEL_TRACES_SAMPLER must be one of ${Object.keys(SAMPLERS).join(', ')}; every trace is sent`)
    return { followsCaller: true, ratio: 1 }
  }
  const { followsCaller } = known
  if (known.ratio !== undefined) return { followsCaller, ratio: known.ratio }
  const text = read('OTEL_TRACES_SAMPLER_ARG') ?? '1'
  const ratio = /^\d{0,9}(?:\.\d{0,18})?$/.test(text) && /\d/.test(text) ? Number(text) : Number.NaN
  if (ratio >= 0 && ratio <= 1) return { followsCaller, ratio }
  problems.push('OTEL_TRACES_SAMPLER_ARG must be a number from 0 to 1; every trace is sent')
  return { followsCaller, ratio: 1 }
}

function readResource(read: Read, problems: string[]): Record<string, string> {
  const pairs = readPairs(read('OTEL_RESOURCE_ATTRIBUTES'), {
    name: 'OTEL_RESOURCE_ATTRIBUTES',
    problems,
    isName: (name) => /^[\x21-\x7e]{1,256}$/.test(name),
    isValue: (value) => value.length <= MAX_VALUE,
  })
  const service = read('OTEL_SERVICE_NAME')
  if (service !== undefined && service.length > MAX_VALUE)
    problems.push(`OTEL_SERVICE_NAME must have at most ${MAX_VALUE} characters; the service is called svc`)
  return {
    'service.name': 'svc',
    ...Object.fromEntries(pairs),
    ...(service === undefined || service.length > MAX_VALUE ? {} : { 'service.name': service }),
  }
}

/** Reads `name=value,name=value`; values may be percent-encoded. One pair that cannot be read drops them all. */
function readPairs(
  text: string | undefined,
  list: {
    readonly name: string
    readonly problems: string[]
    readonly isName: (name: string) => boolean
    readonly isValue: (value: string) => boolean
  },
): readonly (readonly [name: string, value: string])[] {
  if (text === undefined) return []
  const items = text.split(',').filter((item) => item.trim() !== '')
  const pairs = items.flatMap((item) => {
    const equals = item.indexOf('=')
    const name = item.slice(0, Math.max(0, equals)).trim()
    const value = decode(item.slice(equals + 1).trim())
    return value !== undefined && list.isName(name) && list.isValue(value) ? [[name, value] as const] : []
  })
  if (pairs.length === items.length) return pairs
  list.problems.push(`${list.name} must be a list such as name=value,other=value; none of it is used`)
  return []
}

function decode(text: string): string | undefined {
  try {
    return decodeURIComponent(text)
  } catch {
    return undefined
  }
}

const isHeaderName = (name: string): boolean => TOKEN.test(name) && !RESERVED.has(name.toLowerCase())

const isHeaderValue = (value: string): boolean => /^[\x20-\x7e\t]*$/.test(value)
