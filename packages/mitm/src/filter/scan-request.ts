import { SvcError } from '@svc/errors'
import type { ClientRequest } from '../client/request.ts'
import { bodyTooLarge, filterUnavailable } from '../errors.ts'
import { listValues } from '../headers.ts'
import type { BudgetAccount } from '../limits/byte-budget.ts'
import type { Limits } from '../limits/limits.ts'
import type { BodyFilter, FilterVerdict, ReplyRestorer, ScannedRequest } from '../ports.ts'
import { decodeBody, readCoding, unsupportedCoding } from './content-coding.ts'

/** Options of {@link scanRequest}. */
export interface ScanOptions {
  readonly filter: BodyFilter
  readonly limits: Limits
  readonly account: BudgetAccount
  readonly signal: AbortSignal
  /** Called for each piece of the body. */
  readonly onProgress: () => void
  /** Called when the body is complete and the filter begins. */
  readonly onComplete: () => void
}

/** The verdict, and the body on which it was given. */
export interface Scan {
  readonly verdict: FilterVerdict
  readonly scanned: Buffer
}

/**
 * Reads the body of a request whole, decodes it and asks the filter.
 *
 * @throws {SvcError} for a body that cannot be scanned, and `pii_ner_unavailable` for a filter that failed
 */
export async function scanRequest(
  request: ClientRequest,
  about: Omit<ScannedRequest, 'body'>,
  options: ScanOptions,
): Promise<Scan> {
  const { filter, limits, account, signal, onComplete } = options
  const coding = readCoding(request.headers)
  if (coding === undefined) throw unsupportedCoding()
  const length = listValues(request.headers, 'content-length').map(Number)
  if (length.some((bytes) => bytes > limits.scannedBodyBytes)) throw bodyTooLarge(limits.scannedBodyBytes)
  if (request.expectsContinue) request.reply.inform({ status: 100, headers: [] })
  const bytes = await readBody(request, options)
  onComplete()
  const scanned = await decodeBody(bytes, {
    coding,
    limitBytes: limits.scannedBodyBytes,
    onBytes: (count) => account.take(count),
    signal,
  })
  const verdict = await askFilter(filter, { ...about, body: scanned }, signal)
  return { verdict, scanned }
}

function readBody({ body }: ClientRequest, { limits, account, signal, onProgress }: ScanOptions): Promise<Buffer> {
  const parts: Buffer[] = []
  let total = 0
  return new Promise((resolve, reject) => {
    const fail = (error: unknown): void => {
      body.removeListener('data', take)
      signal.removeEventListener('abort', leave)
      reject(error)
    }
    const leave = (): void => fail(signal.reason)
    const take = (part: Buffer): void => {
      onProgress()
      total += part.length
      try {
        if (total > limits.scannedBodyBytes) throw bodyTooLarge(limits.scannedBodyBytes)
        account.take(part.length)
        parts.push(part)
      } catch (error) {
        fail(error)
      }
    }
    if (signal.aborted) leave()
    signal.addEventListener('abort', leave, { once: true })
    body.on('data', take)
    body.once('end', () => {
      signal.removeEventListener('abort', leave)
      resolve(parts.length === 1 && parts[0] !== undefined ? parts[0] : Buffer.concat(parts, total))
    })
    body.once('error', fail)
    body.once('close', () => {
      if (!body.readableEnded) fail(new SvcError('cancelled', 'the client left'))
    })
  })
}

/** Kinds of the filter's errors that are the fault of the request. */
const CLIENT_KINDS: ReadonlySet<string> = new Set(['invalid_request', 'too_large', 'unsupported_media'])

async function askFilter(filter: BodyFilter, request: ScannedRequest, signal: AbortSignal): Promise<FilterVerdict> {
  try {
    return checkVerdict(await Promise.race([filter.filter(request, { signal }), rejectOn(signal)]))
  } catch (error) {
    signal.throwIfAborted()
    if (SvcError.is(error) && (CLIENT_KINDS.has(error.kind) || error.code === 'pii_ner_unavailable')) throw error
    throw filterUnavailable(error)
  }
}

function rejectOn(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason), { once: true })
    if (signal.aborted) reject(signal.reason)
  })
}

/** A filter of plain JavaScript may return anything: only a clear verdict lets a body pass. */
function checkVerdict(verdict: FilterVerdict): FilterVerdict {
  if (verdict?.blocked === true) return verdict
  if (verdict?.blocked === false && verdict.body instanceof Uint8Array && isRestorer(verdict.restorer)) return verdict
  throw new TypeError('the filter returned no verdict')
}

function isRestorer(restorer: ReplyRestorer | undefined): boolean {
  if (restorer === undefined) return true
  return typeof restorer?.restoreBody === 'function' && typeof restorer.startStream === 'function'
}
