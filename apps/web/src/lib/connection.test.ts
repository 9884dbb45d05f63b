// @vitest-environment jsdom
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { setQuietQuestion, startHeartbeat } from '../app/heartbeat.ts'
import { api } from './api-client.ts'
import { ApiError } from './api-error.ts'
import { readConnection, reportReply } from './connection.ts'

type Answer = 'ok' | 'hangs' | 'refuses'
let answers: (path: string) => Answer
let asked: string[]
let stop: () => void

beforeEach(() => {
  vi.useFakeTimers()
  answers = () => 'ok'
  asked = []
  // the platform's timeout follows no fake clock
  vi.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => {
    const late = new AbortController()
    setTimeout(() => late.abort(new DOMException('late', 'TimeoutError')), ms)
    return late.signal
  })
  vi.stubGlobal('fetch', (input: string | Request, init?: RequestInit) => {
    const path = new URL(input instanceof Request ? input.url : input).pathname
    asked.push(path)
    const answer = answers(path)
    if (answer === 'ok') return Promise.resolve(Response.json({}))
    if (answer === 'refuses') return Promise.reject(new TypeError('Failed to fetch'))
    return new Promise((_, reject) => init?.signal?.addEventListener('abort', () => reject(init.signal?.reason)))
  })
  reportReply()
  stop = startHeartbeat()
})
afterEach(() => {
  stop()
  reportReply()
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
})

/** Seconds until the page knows that the server is away. */
async function countSeconds(): Promise<number> {
  for (let tenths = 0; tenths < 600; tenths += 1) {
    if (readConnection().state === 'offline') return tenths / 10
    await vi.advanceTimersByTimeAsync(100)
  }
  return 60
}

describe('a page at rest', () => {
  it('asks whether the server lives about five seconds after the last reply, and stays online', async () => {
    await vi.advanceTimersByTimeAsync(30_000)
    expect(asked.length).toBeGreaterThanOrEqual(5)
    expect(asked.length).toBeLessThanOrEqual(6)
    expect(readConnection().state).toBe('online')
  })

  it.each([
    ['takes requests and answers none', 'hangs', 10],
    ['is gone', 'refuses', 6],
  ] as const)('notices in time that the server %s', async (_, answer, most) => {
    for (const beforeMs of [0, 100, 5_100, 5_300]) {
      answers = () => 'ok'
      reportReply()
      await vi.advanceTimersByTimeAsync(beforeMs)
      answers = () => answer
      expect(await countSeconds()).toBeLessThanOrEqual(most)
      answers = () => 'ok'
      await vi.advanceTimersByTimeAsync(31_000)
      expect(readConnection().state).toBe('online')
    }
  })

  it('waits for a slow answer as long as the server says that it lives', async () => {
    answers = (path) => (path === '/healthz' ? 'ok' : 'hangs')
    let ended = false
    const note = () => {
      ended = true
    }
    void api.GET('/system', {}).then(note, note)
    await vi.advanceTimersByTimeAsync(60_000)
    expect([readConnection().state, ended]).toEqual(['online', false])
  })

  it('asks a question of its own in place of the health, and notices a server that leaves it without an answer', async () => {
    const takeBack = setQuietQuestion(() => api.GET('/api/pii/events', {}))
    await vi.advanceTimersByTimeAsync(30_000)
    expect(new Set(asked)).toEqual(new Set(['/api/pii/events']))
    expect(asked.length).toBeLessThanOrEqual(6)
    // a database that hangs does not mean that the server hangs
    answers = (path) => (path === '/healthz' ? 'ok' : 'hangs')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(readConnection().state).toBe('online')
    answers = () => 'hangs'
    expect(await countSeconds()).toBeLessThanOrEqual(10)
    takeBack()
  })

  it('asks nothing while it is hidden', async () => {
    vi.spyOn(document, 'visibilityState', 'get').mockReturnValue('hidden')
    await vi.advanceTimersByTimeAsync(60_000)
    expect(asked).toEqual([])
  })
})

describe('a question to a server that hangs', () => {
  it('ends with the news that the server is away', async () => {
    answers = () => 'hangs'
    const question = api.GET('/system', {}).then(
      () => undefined,
      (error: unknown) => error,
    )
    await countSeconds()
    const error = await question
    expect(error).toBeInstanceOf(ApiError)
    expect(error).toMatchObject({ status: 0 })
  })

  it('leaves calls alone that change something: they may have been taken', async () => {
    answers = () => 'hangs'
    let ended = false
    void api.POST('/models/reload', {}).finally(() => {
      ended = true
    })
    await countSeconds()
    expect(ended).toBe(false)
  })
})
