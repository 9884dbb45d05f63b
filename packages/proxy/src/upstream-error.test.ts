import { SvcError } from '@svc/errors'
import type { Header, UpstreamReply } from '@svc/http-client'
import { describe, expect, it } from 'vitest'
import {
  MAX_ERROR_BODY_BYTES,
  readRetryAfter,
  readStatusError,
  readWhole,
  UpstreamStatusError,
} from './upstream-error.ts'

async function* pieces(...sizes: number[]) {
  for (const size of sizes) yield new Uint8Array(size).fill(0x61)
}
const reply = (status: number, headers: readonly Header[] = [], body = pieces(3)): UpstreamReply => ({
  status,
  headers,
  body,
  lengthBytes: undefined,
  endsWithConnection: false,
})

describe('an error of an upstream', () => {
  it('keeps status, type and body, and the headers meant for the client', async () => {
    const kept: Header[] = [
      ['retry-after', '2'],
      ['retry-after-ms', '1500'],
      ['x-ratelimit-remaining-requests', '0'],
      ['anthropic-ratelimit-tokens-reset', 'x'],
      ['request-id', 'r'],
      ['x-request-id', 'r'],
    ]
    const dropped: Header[] = [
      ['content-type', 'application/problem+json'],
      ['set-cookie', 'a=b'],
      ['location', 'https://a'],
      ['access-control-allow-origin', '*'],
    ]
    const error = await readStatusError(reply(429, [...dropped, ...kept]))
    expect(error).toMatchObject({
      status: 429,
      contentType: 'application/problem+json',
      body: new Uint8Array(3).fill(0x61),
      kind: 'rate_limited',
      code: 'upstream_status',
      retryAfterMs: 2000,
      message: 'the upstream answered with status 429',
    })
    expect(error.headers).toEqual(kept)
    expect(SvcError.is(error)).toBe(true)
  })

  it.each([
    [400, 'invalid_request'],
    [401, 'unauthenticated'],
    [403, 'forbidden'],
    [404, 'not_found'],
    [418, 'invalid_request'],
    [422, 'unprocessable'],
    [500, 'upstream_failed'],
    [503, 'unavailable'],
    [529, 'upstream_failed'],
  ])('of status %i is %s', (status, kind) => {
    expect(new UpstreamStatusError(reply(status), new Uint8Array()).kind).toBe(kind)
  })

  it('is cut at 1 MiB, and the rest is not waited for', async () => {
    let wasEnded = false
    async function* endless() {
      try {
        for (;;) yield new Uint8Array(300_000)
      } finally {
        wasEnded = true
      }
    }
    expect((await readStatusError(reply(500, [], endless()))).body).toHaveLength(MAX_ERROR_BODY_BYTES)
    expect(wasEnded).toBe(true)
  })
})

it.each([
  ['7', 7000],
  ['Thu, 01 Jan 1970 00:00:09 GMT', 8000],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', undefined],
  ['', undefined],
])('reads the wait %j as %j ms', (value, expected) => {
  expect(readRetryAfter([['retry-after', value]], () => 1000)).toBe(expected)
})

describe('a whole body', () => {
  it('of exactly the limit is read, one byte more is refused', async () => {
    expect(await readWhole(pieces(2, 3), 5)).toHaveLength(5)
    expect(await readWhole(pieces(), 5)).toHaveLength(0)
    await expect(readWhole(pieces(2, 3, 1), 5)).rejects.toMatchObject({ code: 'upstream_reply_too_large' })
  })
})
