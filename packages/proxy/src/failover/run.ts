import { SvcError } from '@svc/errors'
import type { Candidate, Chain } from './chain.ts'
import { TARGET_FULL, verdictOf } from './verdict.ts'

/** The largest body that is sent to more than one target, in bytes. */
export const MAX_RETRIED_BODY_BYTES = 32 * 1024 * 1024

/** How many items may come before the first content of an attempt; more count as content. */
const MAX_HELD_ITEMS = 64

/** A request that a chain serves. */
export interface FailoverRequest {
  readonly chain: Chain
  /** Of the request; one that is too large is sent to a single target. */
  readonly bodyBytes: number
  readonly signal: AbortSignal
  /** Called once the target that serves the request is known, before the first item is given on. */
  readonly onServed?: ((candidate: Candidate) => void) | undefined
  /** Called with each target that failed before it said anything, whether or not another one is asked. */
  readonly onFailed?: ((candidate: Candidate, error: unknown) => void) | undefined
}

/**
 * Asks the targets of a chain, one after the other, until one answers.
 *
 * @throws what the last target asked failed with, or the first failure that concerns the request itself; where targets
 *   are full and all that failed are down or rest, the failure of the full one with the shortest wait
 */
export async function callWithFailover<Value>(
  request: FailoverRequest,
  attempt: (candidate: Candidate) => Promise<Value>,
): Promise<Value> {
  const { chain, onServed } = request
  return firstThatServes(request, async (candidate) => {
    const value = await attempt(candidate)
    chain.report(candidate.model, 'good')
    onServed?.(candidate)
    return value
  })
}

/**
 * The same for streams. What comes before the first content is held back until that comes, so that a target that fails
 * before leaves no trace; once content has been given on, nobody else is asked.
 *
 * @param options.isContent whether an item says something; false for roles, progress and the like
 */
export async function* streamWithFailover<Item>(
  request: FailoverRequest,
  options: {
    readonly attempt: (candidate: Candidate) => AsyncIterable<Item>
    readonly isContent: (item: Item) => boolean
  },
): AsyncGenerator<Item, void, undefined> {
  const { chain, onServed, signal } = request
  const opened = await firstThatServes(request, async (candidate) => {
    const items = options.attempt(candidate)[Symbol.asyncIterator]()
    const held = await holdUntilContent(items, options.isContent)
    return { candidate, items, held }
  })
  const { candidate, items, held } = opened
  let isOver = false
  try {
    onServed?.(candidate)
    yield* held
    for (let next = await items.next(); next.done !== true; next = await items.next()) yield next.value
    isOver = true
    chain.report(candidate.model, 'good')
  } catch (error) {
    isOver = true
    reportFailure(chain, { model: candidate.model, error, signal })
    throw error
  } finally {
    if (!isOver) await items.return?.()
  }
}

async function firstThatServes<Value>(
  { chain, bodyBytes, signal, onFailed }: FailoverRequest,
  attempt: (candidate: Candidate) => Promise<Value>,
): Promise<Value> {
  const all = chain.candidates()
  const candidates = bodyBytes > MAX_RETRIED_BODY_BYTES ? all.slice(0, 1) : all
  let failure: unknown
  let full: SvcError | undefined
  const failed = new Set<string>()
  for (const candidate of candidates) {
    signal.throwIfAborted()
    try {
      return await attempt(candidate)
    } catch (error) {
      if (!signal.aborted) onFailed?.(candidate, error)
      if (!reportFailure(chain, { model: candidate.model, error, signal })) throw error
      const isSkipped = verdictOf(error) === 'skipped'
      if (!isSkipped) failed.add(candidate.model)
      // A target that was only passed over says less about the request than one that was asked.
      if (failure === undefined || !isSkipped) failure = error
      if (SvcError.is(error) && error.code === TARGET_FULL) full = soonerOf(full, error)
    }
  }
  // A target that is full has room before long; those that could have served instead are known to be of no use by now.
  const isUp = chain.states.some(({ model, status }) => status === 'up' && failed.has(model))
  throw full === undefined || isUp ? failure : full
}

/** Of two failures the one that asks for the shorter wait. */
function soonerOf(first: SvcError | undefined, second: SvcError): SvcError {
  return first === undefined || (second.retryAfterMs ?? 0) < (first.retryAfterMs ?? 0) ? second : first
}

/** Holds a failure against its target. @returns whether another one may be asked */
function reportFailure(
  chain: Chain,
  { model, error, signal }: { readonly model: string; readonly error: unknown; readonly signal: AbortSignal },
): boolean {
  if (signal.aborted) return false
  const verdict = verdictOf(error)
  chain.report(model, verdict, SvcError.is(error) ? error.retryAfterMs : undefined)
  return verdict !== 'final'
}

/** Reads up to the first content, or to the end where there is none. */
async function holdUntilContent<Item>(
  items: AsyncIterator<Item>,
  isContent: (item: Item) => boolean,
): Promise<readonly Item[]> {
  const held: Item[] = []
  for (let next = await items.next(); next.done !== true; next = await items.next()) {
    held.push(next.value)
    if (isContent(next.value) || held.length >= MAX_HELD_ITEMS) break
  }
  return held
}
