import type { Readable, Writable } from 'node:stream'
import * as zlib from 'node:zlib'
import { listValues, removeHeaders } from '../headers.ts'
import type { BudgetAccount } from '../limits/byte-budget.ts'
import type { Limits } from '../limits/limits.ts'
import type { ReplyRestorer } from '../ports.ts'
import { pump } from '../pump.ts'
import type { ReplyHead } from '../upstream/upstream.ts'
import { readCoding } from './content-coding.ts'

/** The receiver of a restored reply. */
export interface RestorationTarget {
  onBytes(count: number): void
  start(head: ReplyHead): void
  readonly stream: Writable
  end(): void
  fail(error: unknown): void
}

/** Restores the values of one reply. */
export interface Restoration {
  readonly keepsTrailers: boolean
  run(body: Readable, target: RestorationTarget): void
}

/** The headers that describe the bytes of the host. */
const OF_THE_OLD_BODY: ReadonlySet<string> = new Set([
  'content-length',
  'content-encoding',
  'content-md5',
  'content-digest',
  'digest',
  'repr-digest',
  'etag',
])

/**
 * Prepares the restoration of a reply that is JSON or an event stream.
 *
 * @returns undefined for other types and for codings that cannot be decoded: such a reply goes out as it came
 */
export function prepareRestoration(
  head: ReplyHead,
  restorer: ReplyRestorer,
  bounds: { readonly limits: Limits; readonly account: BudgetAccount },
): Restoration | undefined {
  const type = (listValues(head.headers, 'content-type')[0] ?? '').split(';')[0]?.trim().toLowerCase() ?? ''
  const decoder = createDecoder(head)
  if (decoder === 'unknown') return undefined
  const plainHead = { ...head, headers: removeHeaders(head.headers, OF_THE_OLD_BODY) }
  const decode = (body: Readable, target: RestorationTarget): Readable => {
    if (decoder === undefined) return body
    body.on('error', (error) => decoder.destroy(error))
    body.once('close', () => {
      if (!body.readableEnded) decoder.destroy()
    })
    return body.on('data', (bytes: Buffer) => target.onBytes(bytes.length)).pipe(decoder)
  }
  if (type === 'text/event-stream') {
    return { keepsTrailers: true, run: (body, target) => runStream(decode(body, target), target) }
  }
  if (type !== 'application/json' && !type.endsWith('+json')) return undefined
  return { keepsTrailers: false, run: (body, target) => runWhole(decode(body, target), target) }

  function runStream(body: Readable, target: RestorationTarget): void {
    const change = restorer.startStream()
    target.start(plainHead)
    pump(body, target.stream, {
      onBytes: (count) => target.onBytes(decoder === undefined ? count : 0),
      change,
      onEnd: () => target.end(),
      onFail: (error) => target.fail(error),
    })
  }

  function runWhole(body: Readable, target: RestorationTarget): void {
    const parts: Buffer[] = []
    let total = 0
    const take = (bytes: Buffer): void => {
      if (decoder === undefined) target.onBytes(bytes.length)
      total += bytes.length
      parts.push(bytes)
      if (total <= bounds.limits.scannedBodyBytes && hasRoom(bounds.account, bytes.length)) return
      // Too large to hold: the client sees its tokens instead of the values.
      body.removeListener('data', take)
      body.removeListener('end', finish)
      target.start(plainHead)
      target.stream.write(Buffer.concat(parts))
      pump(body, target.stream, {
        onBytes: (count) => target.onBytes(count),
        onEnd: () => target.end(),
        onFail: (error) => target.fail(error),
      })
    }
    const finish = (): void => {
      try {
        const restored = restorer.restoreBody(Buffer.concat(parts, total))
        target.start({ ...plainHead, headers: [...plainHead.headers, 'content-length', String(restored.length)] })
        target.stream.write(restored)
        target.end()
      } catch (error) {
        target.fail(error)
      }
    }
    body.on('data', take)
    body.once('end', finish)
    body.once('error', (error) => target.fail(error))
    body.once('close', () => {
      if (!body.readableEnded) target.fail(new Error('closed before its end'))
    })
  }
}

function hasRoom(account: BudgetAccount, bytes: number): boolean {
  try {
    account.take(bytes)
    return true
  } catch {
    return false
  }
}

/** The host was asked for a plain reply; some answer otherwise. */
function createDecoder(head: ReplyHead) {
  switch (readCoding(head.headers)) {
    case 'identity':
      return undefined
    case 'gzip':
      return zlib.createGunzip()
    case 'deflate':
      return zlib.createInflate()
    case 'br':
      return zlib.createBrotliDecompress()
    case 'zstd':
    case undefined:
      return 'unknown'
  }
}
