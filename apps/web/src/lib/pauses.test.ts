// @vitest-environment jsdom
import { afterEach, describe, expect, it, vi } from 'vitest'
import { ApiError, readRetryAfter } from './api-error.ts'
import { toError, toRetryDelay } from './chat/failure.ts'
import { wait } from './chat/wait.ts'
import { findLongPauseEnd } from './pauses.ts'

const NOW = Date.parse('2026-12-01T00:00:00Z')
const DAY = 86_400_000
const TEN_YEARS = 10 * 366 * DAY

describe('the pause that a reply asks for', () => {
  it.each([
    [null, undefined],
    ['', undefined],
    ['soon', undefined],
    ['2', 2_000],
    ['0', 0],
    ['-5', 0],
    ['1209600', 14 * DAY],
    ['1e300', TEN_YEARS],
    ['Infinity', TEN_YEARS],
    ['Wed, 02 Dec 2026 00:00:00 GMT', DAY],
    ['Sun, 01 Nov 2026 00:00:00 GMT', 0],
  ])('in %j is %j milliseconds', (header, pauseMs) => {
    expect(readRetryAfter(header, NOW)).toBe(pauseMs)
  })
  it.each([
    [undefined, undefined],
    [5_000, undefined],
    [600_000, undefined],
    [600_001, NOW + 600_001],
    [14 * DAY, NOW + 14 * DAY],
    [2 ** 31, NOW + 2 ** 31],
  ])('of %j ms is named by its end: %j', (retryAfterMs, end) => {
    expect(findLongPauseEnd(new ApiError('no', { status: 429, ...(retryAfterMs && { retryAfterMs }) }), NOW)).toBe(end)
  })
})

describe('a failed request', () => {
  it.each([
    [{ status: 429, retryAfterMs: 2_000 }, 2_000],
    [{ status: 503, retryAfterMs: 60_000 }, 60_000],
    [{ status: 429, retryAfterMs: 60_001 }, undefined],
    [{ status: 429, retryAfterMs: 14 * DAY }, undefined],
    [{ status: 429, code: 'quota_exceeded', retryAfterMs: 1_000 }, undefined],
    [{ status: 503, code: 'model_loading', retryAfterMs: 14 * DAY }, 60_000],
    [{ status: 503, code: 'model_loading' }, 2_000],
    [{ status: 500, retryAfterMs: 1_000 }, undefined],
    [{ status: 429 }, undefined],
  ])('%j is tried again by itself after %j', (failure, delay) => {
    expect(toRetryDelay({ message: 'no', ...failure })).toBe(delay)
  })
  it('that was kept has the rest of its pause', () => {
    const failure = { message: 'no', status: 429, correlationId: 'c', retryAfterMs: 2 * DAY, at: NOW }
    expect(toError(failure, NOW + DAY)).toMatchObject({ status: 429, correlationId: 'c', retryAfterMs: DAY })
    expect(toError(failure, NOW + 3 * DAY).retryAfterMs).toBe(0)
  })
})

describe('waiting', () => {
  afterEach(() => void vi.useRealTimers())
  it.each([2 ** 31, 14 * DAY, 40 * DAY])('for %i ms does not end before its time', async (delayMs) => {
    vi.useFakeTimers()
    let isOver = false
    const waiting = wait(delayMs, new AbortController().signal).then((over) => {
      isOver = over
    })
    await vi.advanceTimersByTimeAsync(delayMs - 1000)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1001)
    await waiting
    expect(isOver).toBe(true)
  })
  it.each([0, -1, 5])('for %i ms ends', async (delayMs) => {
    expect(await wait(delayMs, new AbortController().signal)).toBe(true)
  })
  it('is called off', async () => {
    const stop = new AbortController()
    const waiting = wait(20 * DAY, stop.signal)
    stop.abort()
    expect(await waiting).toBe(false)
  })
})
