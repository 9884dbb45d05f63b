import { createBatcher } from '../batcher.ts'
import { AuthError } from '../errors.ts'
import type { LimitNotices } from '../limits/notices.ts'
import type { Clock, Logger } from '../ports/clock.ts'
import type { CounterChange, QuotaRequest, QuotaSettlement, QuotaStore, QuotaVerdict } from '../ports/usage.ts'
import { createStoreDeadline } from '../store-deadline.ts'
import { isLimitRule } from './apply-work.ts'

/** Dependencies of the queue before a quota store. */
export interface QuotaQueueOptions {
  readonly store: Pick<QuotaStore, 'apply' | 'flush'>
  readonly clock: Pick<Clock, 'now' | 'sleep'>
  readonly logger?: Logger | undefined
  /** Longest time that a settlement waits for a reservation to be stored with, milliseconds. @default 250 */
  readonly settleWithinMs?: number | undefined
  /** Hears of counters and refusals of limits. @default nobody */
  readonly notices?: LimitNotices | undefined
}

/** The queue of quota work before its store. Work that comes at once is stored in one transaction. */
export interface QuotaQueue {
  /** Decides a request. @throws {AuthError} `unavailable` while the store is away */
  decide(request: QuotaRequest): Promise<QuotaVerdict>
  /** Stores a settlement with a later batch, or as soon as the store is back. */
  settle(settlement: QuotaSettlement): void
  /** Resolves when no work is under way. */
  settled(): Promise<void>
  /** Resolves when all work is stored, or waits for a store that is away. */
  flush(): Promise<void>
}

type Work =
  | { readonly kind: 'request'; readonly request: QuotaRequest }
  | { readonly kind: 'settlement'; readonly settlement: QuotaSettlement }

const MAX_BATCH = 200
const MAX_WAITING = 10_000
const SETTLE_WITHIN_MS = 250
const STORE_TIMEOUT_MS = 10_000

/** Creates the queue before a quota store. */
export function createQuotaQueue(options: QuotaQueueOptions): QuotaQueue {
  const { store, clock, logger, settleWithinMs = SETTLE_WITHIN_MS, notices } = options
  const withDeadline = createStoreDeadline(STORE_TIMEOUT_MS)
  /** Settlements that met a store that was away; the next batch that is stored takes them along. */
  const unsettled: QuotaSettlement[] = []
  const batcher = createBatcher<Work, QuotaVerdict>({
    maxBatch: MAX_BATCH,
    maxWaiting: MAX_WAITING,
    clock,
    laterMs: settleWithinMs,
    async perform(batch) {
      const requests = batch.flatMap((work) => (work.kind === 'request' ? [work.request] : []))
      const settlements = batch.flatMap((work) => (work.kind === 'settlement' ? [work.settlement] : []))
      const changes: CounterChange[] = []
      const onChange = notices && ((change: CounterChange) => void changes.push(change))
      const asked = { requests, settlements, now: clock.now(), onChange }
      const verdicts = [...(await withDeadline((call) => store.apply(asked, call)))]
      if (notices !== undefined) tellNotices(notices, changes, verdicts)
      for (const settlement of unsettled.splice(0, MAX_BATCH)) settle(settlement)
      return batch.map((work) => (work.kind === 'request' ? (verdicts.shift() ?? refuseAll()) : { granted: true }))
    },
  })

  function settle(settlement: QuotaSettlement): void {
    batcher.runLater({ kind: 'settlement', settlement }).catch((error: unknown) => {
      if (unsettled.length === 0) logger?.warn({ err: error }, 'quota reservations cannot be settled, they wait')
      unsettled.push(settlement)
      // a reservation that is never settled expires by itself
      if (unsettled.length > MAX_WAITING) unsettled.shift()
    })
  }

  return {
    decide: (request) => batcher.run({ kind: 'request', request }),
    settle,
    settled: () => batcher.settled(),
    async flush() {
      await batcher.settled()
      await withDeadline(async (call) => store.flush?.(call))
    },
  }
}

function tellNotices(
  notices: LimitNotices,
  changes: readonly CounterChange[],
  verdicts: readonly QuotaVerdict[],
): void {
  for (const change of changes) notices.change(change)
  for (const verdict of verdicts) {
    if (verdict.granted || !isLimitRule(verdict.rule) || verdict.full === 'parallel') continue
    notices.refusal(verdict.rule, verdict.counter)
  }
}

function refuseAll(): never {
  throw new AuthError('internal', 'a quota store gave too few verdicts')
}
