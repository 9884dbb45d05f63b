import { setTimeout as sleep } from 'node:timers/promises'
import { readSse } from '@svc/test-kit'

/** Outcome of one request of a storm. */
export type StormOutcome =
  /** A whole reply, or a stream to its end. */
  | 'served'
  /** An error in the format of the route: a reply, or an event that ends the stream. */
  | 'refused'
  /** The client left first. */
  | 'left'

/** A deterministic source of numbers. */
export interface Dice {
  /** Gives a number in 0..1, without 1. */
  next(): number
  /** Gives a whole number from 0, below `count`. */
  below(count: number): number
}

/** Creates a source from a seed (mulberry32). */
export function createDice(seed: number): Dice {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  return { next, below: (count) => Math.floor(next() * count) }
}

/** One request of a storm. */
export interface StormRequest {
  readonly url: string
  readonly model: string
  readonly stream: boolean
  /** Milliseconds after which the client leaves; undefined: it stays. */
  readonly leaveAfterMs: number | undefined
  /** Maximum time of an answer in milliseconds. */
  readonly patienceMs: number
}

/**
 * Sends one chat and gives its outcome.
 *
 * @throws Error when the request was lost: no answer in time, a broken connection, a stream without an end, an
 *   undocumented error
 */
export async function sendChat(request: StormRequest): Promise<StormOutcome> {
  const patience = AbortSignal.timeout(request.patienceMs)
  const leaving = new AbortController()
  const timer = new AbortController()
  if (request.leaveAfterMs !== undefined) {
    sleep(request.leaveAfterMs, undefined, { signal: timer.signal }).then(
      () => leaving.abort(),
      () => undefined,
    )
  }
  try {
    return await chat(request, AbortSignal.any([patience, leaving.signal]))
  } catch (error) {
    if (leaving.signal.aborted) return 'left'
    throw new Error(`lost: ${request.model}${patience.aborted ? ', no answer in time' : ''}`, { cause: error })
  } finally {
    timer.abort()
  }
}

async function chat({ url, model, stream }: StormRequest, signal: AbortSignal): Promise<StormOutcome> {
  const messages = [{ role: 'user', content: 'Hello!' }]
  const reply = await fetch(`${url}/v1/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ model, stream, messages, max_tokens: 8 }),
    signal,
  })
  if (reply.status !== 200) {
    const body: unknown = await reply.json()
    // A backend that answers without its model lost it to an eviction during the request; a kill cannot cause that.
    const text = JSON.stringify(body)
    if ((reply.status !== 500 && reply.status !== 503) || !hasMessage(body) || text.includes('model not loaded')) {
      throw new Error(`${reply.status}: ${text}`)
    }
    return 'refused'
  }
  if (!stream) {
    const body: unknown = await reply.json()
    if (!hasChoices(body)) throw new Error(`not a reply: ${JSON.stringify(body)}`)
    return 'served'
  }
  let isRefused = false
  let isWhole = false
  for await (const { data } of readSse(reply)) {
    if (data === '[DONE]') isWhole = true
    else if (hasMessage(JSON.parse(data))) isRefused = true
  }
  if (!isWhole && !isRefused) throw new Error('the stream ended without an end')
  return isRefused ? 'refused' : 'served'
}

function hasMessage(body: unknown): boolean {
  const error = typeof body === 'object' && body !== null && 'error' in body ? body.error : undefined
  return typeof error === 'object' && error !== null && 'message' in error && typeof error.message === 'string'
}

function hasChoices(body: unknown): boolean {
  return typeof body === 'object' && body !== null && 'choices' in body && Array.isArray(body.choices)
}
