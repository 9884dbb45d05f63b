import { Readable, Writable } from 'node:stream'
import { deflateRawSync } from 'node:zlib'
import { type ErrorKind, SvcError } from '@svc/errors'
import { createDeferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ClientRequest } from '../client/request.ts'
import { bufferFull } from '../errors.ts'
import type { BudgetAccount } from '../limits/byte-budget.ts'
import { resolveLimits } from '../limits/limits.ts'
import type { BodyFilter, FilterVerdict } from '../ports.ts'
import { scanRequest } from './scan-request.ts'

const ABOUT = { host: 'a.example', port: 443, format: 'messages', correlationId: 'c1' } as const
const UNAVAILABLE = expect.objectContaining({ kind: 'unavailable', code: 'pii_ner_unavailable' })
const pass: BodyFilter = { filter: async ({ body }) => ({ blocked: false, body }) }

/** A body that the test writes. */
function openBody() {
  return new Readable({ read() {} })
}

interface Given {
  readonly headers?: readonly string[]
  readonly filter?: BodyFilter
  readonly account?: BudgetAccount
  readonly signal?: AbortSignal
  readonly expectsContinue?: boolean
}

/** Scans a body with a limit of ten bytes, and notes the calls. */
function scan(body: Readable, given: Given = {}) {
  const noted: unknown[] = []
  const request = {
    headers: given.headers ?? [],
    body,
    expectsContinue: given.expectsContinue ?? false,
    reply: { inform: (head: unknown) => noted.push(head), stream: new Writable() },
  } as unknown as ClientRequest
  const account = given.account ?? { take: (bytes: number) => noted.push(bytes), release: () => {} }
  const scanned = scanRequest(request, ABOUT, {
    filter: given.filter ?? pass,
    limits: resolveLimits({ scannedBodyBytes: 10 }),
    account,
    signal: given.signal ?? new AbortController().signal,
    onProgress: () => noted.push('progress'),
    onComplete: () => noted.push('complete'),
  })
  return { noted, scanned }
}

const withBody = (...parts: readonly (string | Buffer)[]) => Readable.from(parts.map((part) => Buffer.from(part)))

describe('a scanned body', () => {
  it.each([[['0123456789']], [['01234', '56789']], [['0', '1', '23456789']], [[]]])(
    'that comes as %j is read whole, counted, and given to the filter',
    async (parts) => {
      const asked: unknown[] = []
      const { noted, scanned } = scan(withBody(...parts), {
        filter: {
          async filter({ body, ...about }, { signal }) {
            asked.push(String(body), about, signal.aborted)
            return { blocked: false, body }
          },
        },
      })
      const { verdict, scanned: bytes } = await scanned
      expect(String(bytes)).toBe(parts.join(''))
      expect(verdict).toEqual({ blocked: false, body: bytes })
      expect(noted).toEqual([...parts.flatMap((part) => ['progress', part.length]), 'complete'])
      expect(asked).toEqual([parts.join(''), ABOUT, false])
    },
  )

  it('is counted as it comes, and once more decoded', async () => {
    const body = deflateRawSync('text')
    const { noted, scanned } = scan(withBody(body), { headers: ['content-encoding', 'deflate'] })
    expect(String((await scanned).scanned)).toBe('text')
    expect(noted).toEqual(['progress', body.length, 'complete', 4])
  })

  it.each([
    [['content-length', '10'], undefined],
    [['content-length', '11'], 'body_too_large'],
    [['Content-Length', '5', 'content-length', '11'], 'body_too_large'],
    [['content-encoding', 'odd'], 'unsupported_content_coding'],
    [['content-encoding', 'identity', 'content-length', '0'], undefined],
  ])('with the headers %j is refused before it is read: %s', async (headers, code) => {
    const { noted, scanned } = scan(withBody(), { headers, expectsContinue: true })
    if (code === undefined) await scanned
    else await expect(scanned).rejects.toMatchObject({ code })
    expect(noted).toEqual(code === undefined ? [{ status: 100, headers: [] }, 'complete'] : [])
  })

  it('past the limit is refused when it comes to it, and read no further', async () => {
    const body = openBody()
    const { noted, scanned } = scan(body)
    body.push(Buffer.alloc(10))
    body.push(Buffer.alloc(1))
    await expect(scanned).rejects.toMatchObject({ kind: 'too_large', code: 'body_too_large' })
    expect(noted).toEqual(['progress', 10, 'progress'])
    expect([body.listenerCount('data'), noted.includes('complete')]).toEqual([0, false])
  })

  it('for which there is no memory is refused', async () => {
    const account: BudgetAccount = {
      take() {
        throw bufferFull()
      },
      release() {},
    }
    await expect(scan(withBody('x'), { account }).scanned).rejects.toMatchObject({ code: 'mitm_buffer_full' })
  })

  it('that fails, or ends early, is not scanned', async () => {
    const broken = openBody()
    const failed = scan(broken).scanned
    broken.push('x')
    broken.destroy(new Error('broken'))
    await expect(failed).rejects.toThrow('broken')
    const left = openBody()
    const cut = scan(left)
    left.push('x')
    left.destroy()
    await expect(cut.scanned).rejects.toMatchObject({ kind: 'cancelled', message: 'the client left' })
    expect(cut.noted).not.toContain('complete')
  })
})

describe('the end of the client', () => {
  const reason = new Error('gone')

  it('ends a scan before it, in the body, and at the filter', async () => {
    const before = scan(openBody(), { signal: AbortSignal.abort(reason) })
    await expect(before.scanned).rejects.toBe(reason)
    const leaving = new AbortController()
    const within = openBody()
    const reading = scan(within, { signal: leaving.signal })
    leaving.abort(reason)
    await expect(reading.scanned).rejects.toBe(reason)
    expect(within.listenerCount('data')).toBe(0)
    const asking = new AbortController()
    const asked = createDeferred<void>()
    const filter: BodyFilter = {
      filter() {
        asked.resolve()
        return new Promise(() => {})
      },
    }
    const filtering = scan(withBody('x'), { signal: asking.signal, filter })
    await asked.promise
    asking.abort(reason)
    await expect(filtering.scanned).rejects.toBe(reason)
  })

  it('counts also where the filter fails because of it, or ends before it waits', async () => {
    for (const answer of ['fails', 'waits']) {
      const leaving = new AbortController()
      const filter: BodyFilter = {
        filter() {
          leaving.abort(reason)
          return answer === 'fails' ? Promise.reject(new Error('cut off')) : new Promise(() => {})
        },
      }
      await expect(scan(withBody('x'), { signal: leaving.signal, filter }).scanned).rejects.toBe(reason)
    }
  })
})

describe('a filter', () => {
  const failing = (error: unknown): BodyFilter => ({ filter: () => Promise.reject(error) })

  it.each<[ErrorKind, string]>([
    ['invalid_request', 'json_syntax'],
    ['too_large', 'json_too_deep'],
    ['unsupported_media', 'odd'],
    ['internal', 'pii_ner_unavailable'],
  ])('that fails with the kind %s and the code %s says so', async (kind, code) => {
    const error = new SvcError(kind, 'the reason', { code })
    await expect(scan(withBody('x'), { filter: failing(error) }).scanned).rejects.toBe(error)
  })

  it.each<[string, unknown]>([
    ['an error of another kind', new SvcError('forbidden', 'no', { code: 'no' })],
    ['an error without a kind', new TypeError('broken')],
    ['a text', 'broken'],
  ])('that fails with %s is not available', async (_name, error) => {
    const failed = scan(withBody('x'), { filter: failing(error) }).scanned
    await expect(failed).rejects.toEqual(UNAVAILABLE)
    await expect(failed).rejects.toMatchObject({ cause: error })
  })

  const restorer = { restoreBody: (bytes: Uint8Array) => bytes, startStream: () => ({ push: () => [], end: () => [] }) }

  it.each<[string, FilterVerdict]>([
    ['a block', { blocked: true }],
    ['a block with a reason', { blocked: true, message: 'no', fields: { a: 1 } }],
    ['a body', { blocked: false, body: Buffer.from('y') }],
    ['a body with a restorer', { blocked: false, body: Buffer.from('y'), restorer }],
  ])('may answer with %s', async (_name, verdict) => {
    expect((await scan(withBody('x'), { filter: { filter: async () => verdict } }).scanned).verdict).toBe(verdict)
  })

  it.each<[string, unknown]>([
    ['nothing', undefined],
    ['null', null],
    ['no decision', { body: Buffer.from('y') }],
    ['a decision that is a text', { blocked: 'false', body: Buffer.from('y') }],
    ['no body', { blocked: false }],
    ['a body that is a text', { blocked: false, body: 'y' }],
    ['a restorer that is null', { blocked: false, body: Buffer.from('y'), restorer: null }],
    ['a restorer of whole bodies only', { blocked: false, body: Buffer.from('y'), restorer: { restoreBody() {} } }],
    ['a restorer of streams only', { blocked: false, body: Buffer.from('y'), restorer: { startStream() {} } }],
  ])('may not answer with %s', async (_name, verdict) => {
    const filter: BodyFilter = { filter: async () => verdict as FilterVerdict }
    await expect(scan(withBody('x'), { filter }).scanned).rejects.toEqual(UNAVAILABLE)
  })
})
