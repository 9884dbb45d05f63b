import { SvcError } from '@svc/errors'
import type { Candidate, FailoverGroup } from './failover-group.ts'
import { TARGET_FULL, toVerdict } from './verdict.ts'

/** The largest body, in bytes, that more than one target may get. */
export const MAX_RETRIED_BODY_BYTES = 32 * 1024 * 1024

/** Most items before the first content of an attempt; more count as content. */
const MAX_HELD_ITEMS = 64

/** A request that a failover group serves. */
export interface FailoverRequest {
  readonly group: FailoverGroup
  /** Size of the request's body; a larger one goes to a single target. */
  readonly bodyBytes: number
  readonly signal: AbortSignal
  /** Called with the serving target, before its first item is passed on. */
  readonly onServed?: ((candidate: Candidate) => void) | undefined
  /** Called with each target that failed before its first content, whether or not another target follows. */
  readonly onFailed?: ((candidate: Candidate, error: unknown) => void) | undefined
}

/**
 * Asks the targets of a failover group in order until one answers.
 *
 * @throws the error of the last target that was asked, or the first fault of the request itself. When targets are full
 *   and all failed ones are down or rest, throws the error of the full target with the shortest wait
 */
export async function callWithFailover<Value>(
  request: FailoverRequest,
  attempt: (candidate: Candidate) => Promise<Value>,
): Promise<Value> {
  const { group, onServed } = request
  return firstThatServes(request, async (candidate) => {
    const value = await attempt(candidate)
    group.report(candidate.model, 'good')
    onServed?.(candidate)
    return value
  })
}

/**
 * The same for streams. Items before the first content are held back, so that a failing target leaves no trace. After
 * the first content no other target is asked.
 *
 * @param options.isContent whether an item has content; false for roles, progress and the like
 */
export async function* streamWithFailover<Item>(
  request: FailoverRequest,
  options: {
    readonly attempt: (candidate: Candidate) => AsyncIterable<Item>
    readonly isContent: (item: Item) => boolean
  },
): AsyncGenerator<Item, void, undefined> {
  const { group, onServed, signal } = request
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
    group.report(candidate.model, 'good')
  } catch (error) {
    isOver = true
    reportFailure(group, { model: candidate.model, error, signal })
    throw error
  } finally {
    if (!isOver) await items.return?.()
  }
}

async function firstThatServes<Value>(
  { group, bodyBytes, signal, onFailed }: FailoverRequest,
  attempt: (candidate: Candidate) => Promise<Value>,
): Promise<Value> {
  const all = group.candidates()
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
      if (!reportFailure(group, { model: candidate.model, error, signal })) throw error
      const isSkipped = toVerdict(error) === 'skipped'
      if (!isSkipped) failed.add(candidate.model)
      // The error of a skipped target says less about the request than the error of a target that was asked.
      if (failure === undefined || !isSkipped) failure = error
      if (SvcError.is(error) && error.code === TARGET_FULL) full = pickSooner(full, error)
    }
  }
  // A full target has a free place soon; the others that could have served are known to be down or resting.
  const isUp = group.states.some(({ model, status }) => status === 'up' && failed.has(model))
  throw full === undefined || isUp ? failure : full
}

/** Picks the failure with the shorter wait. */
function pickSooner(first: SvcError | undefined, second: SvcError): SvcError {
  return first === undefined || (second.retryAfterMs ?? 0) < (first.retryAfterMs ?? 0) ? second : first
}

/** Records a failure of its target. @returns whether another target may be asked */
function reportFailure(
  group: FailoverGroup,
  { model, error, signal }: { readonly model: string; readonly error: unknown; readonly signal: AbortSignal },
): boolean {
  if (signal.aborted) return false
  const verdict = toVerdict(error)
  group.report(model, verdict, SvcError.is(error) ? error.retryAfterMs : undefined)
  return verdict !== 'final'
}

/** Reads up to the first content, or to the end of a stream without content. */
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
