import { SvcError } from '@svc/errors'
import type { UpstreamReply } from '@svc/http-client'

const MAX_REPLY_BYTES = 256 * 1024
const MAX_SHOWN = 300
/** Longest pause that a storage may ask for, milliseconds. */
const MAX_RETRY_AFTER_MS = 30_000

/** Codes of failures that pass by themselves, whatever their status. */
const PASSING = new Set(['SlowDown', 'InternalError', 'ServiceUnavailable', 'RequestTimeout', 'OperationAborted'])
const MEANINGS: Readonly<Record<string, string>> = {
  NoSuchBucket: 'the bucket does not exist; see SVC_STORAGE_BUCKET',
  InvalidAccessKeyId: 'it does not know the key of SVC_STORAGE_ACCESS_KEY',
  SignatureDoesNotMatch: 'it refuses the signature; see SVC_STORAGE_SECRET_KEY',
  AccessDenied: 'the key may not do this; see SVC_STORAGE_ACCESS_KEY and the policy of the bucket',
  RequestTimeTooSkewed: 'its clock and the clock of this machine are too far apart',
  AuthorizationHeaderMalformed: 'it refuses the form of the signature; see SVC_STORAGE_REGION',
  QuotaExceeded: 'the bucket is full',
  XMinioStorageFull: 'its disk is full',
}

/** A failure that may pass: the storage is away, busy, or cut the reply. */
export function storageAway(reason: string, options: { cause?: unknown; retryAfterMs?: number } = {}): SvcError {
  return new SvcError('unavailable', `the object storage failed: ${reason}`, { code: 'storage_away', ...options })
}

/** A failure that another try does not change. */
export function storageRefused(reason: string, cause?: unknown): SvcError {
  return new SvcError('unavailable', `the object storage failed: ${reason}`, { code: 'storage_refused', cause })
}

/** Bytes that are not those that were stored. */
export function wrongHash(key: string): SvcError {
  return new SvcError(
    'unavailable',
    `the object storage failed: the object "${key}" has another SHA-256 than it should`,
    {
      code: 'storage_wrong_hash',
    },
  )
}

/** Whether another try may end in another way. */
export function isPassing(error: unknown): error is SvcError {
  return SvcError.is(error) && error.code === 'storage_away'
}

/** The error of a call that got no reply. It names no address and no key. */
export function toStorageError(error: unknown): SvcError {
  if (!SvcError.is(error)) return storageAway('the connection was lost', { cause: error })
  if (['storage_away', 'storage_refused', 'storage_wrong_hash', 'bad_object_key'].includes(error.code ?? ''))
    return error
  if (readReason(error) === 'tls') {
    return storageRefused('no trusted TLS connection could be made; NODE_EXTRA_CA_CERTS adds an authority', error)
  }
  return storageAway(error.message.replace('the upstream', 'it'), { cause: error })
}

function readReason({ details }: SvcError): unknown {
  return typeof details === 'object' && details !== null && 'reason' in details ? details.reason : undefined
}

/** What a reply says went wrong. */
export interface StorageFailure {
  readonly status: number
  /** Such as `NoSuchKey`; empty where the reply has none, as to a HEAD. */
  readonly code: string
  readonly error: SvcError
}

/** Reads a reply of a status that is not a success. */
export async function readFailure(reply: UpstreamReply): Promise<StorageFailure> {
  const { status } = reply
  const text = await readText(reply)
  return toFailure(status, text, readHeader(reply, 'retry-after'))
}

/** Reads a failure out of its text. */
export function toFailure(status: number, text: string, retryAfter?: string): StorageFailure {
  const code = readTag(text, 'Code') ?? ''
  const said = [code, readTag(text, 'Message') ?? ''].filter((part) => part !== '').join(': ')
  if (PASSING.has(code) || status >= 500 || status === 429 || status === 408) {
    const seconds = Number(retryAfter)
    const retryAfterMs = seconds > 0 ? Math.min(seconds * 1000, MAX_RETRY_AFTER_MS) : undefined
    const reason = `it answered ${status}${said === '' ? '' : ` (${said.slice(0, MAX_SHOWN)})`}`
    return { status, code, error: storageAway(reason, retryAfterMs === undefined ? {} : { retryAfterMs }) }
  }
  return { status, code, error: storageRefused(explain(status, code, said)) }
}

function explain(status: number, code: string, said: string): string {
  if (status >= 300 && status < 400) {
    return 'it redirects to another address, which is not followed; see SVC_STORAGE_URL and SVC_STORAGE_REGION'
  }
  const meaning = MEANINGS[code]
  if (meaning !== undefined) return `${meaning} (${said.slice(0, MAX_SHOWN)})`
  if (said === '' && status === 403) return 'it refuses the key of SVC_STORAGE_ACCESS_KEY (403)'
  return `it answered ${status}${said === '' ? '' : ` (${said.slice(0, MAX_SHOWN)})`}`
}

/** Reads the text of a reply. @throws {SvcError} `storage_away` for a long one and for a cut one */
export async function readText({ body }: Pick<UpstreamReply, 'body'>): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > MAX_REPLY_BYTES) throw storageAway('its reply is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** A header of a reply by its name in lower case. */
export function readHeader({ headers }: Pick<UpstreamReply, 'headers'>, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1]
}

/** The text of the first element of a name in a reply. */
export function readTag(xml: string, name: string): string | undefined {
  return readTags(xml, name)[0]
}

/** The texts of all elements of a name. */
export function readTags(xml: string, name: string): readonly string[] {
  return [...xml.matchAll(new RegExp(`<${name}>([^<]*)</${name}>`, 'g'))].map(([, text = '']) => decodeXml(text))
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', quot: '"', apos: "'", amp: '&' }

function decodeXml(text: string): string {
  return text.replace(/&(?:#x([0-9a-f]{1,6})|#(\d{1,7})|(lt|gt|quot|apos|amp));/gi, (whole, hex, decimal, name) => {
    if (name !== undefined) return ENTITIES[String(name).toLowerCase()] ?? whole
    const point = hex === undefined ? Number(decimal) : Number.parseInt(hex, 16)
    return point <= 0x10ffff ? String.fromCodePoint(point) : whole
  })
}
