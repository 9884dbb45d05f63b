import type { CallOptions } from './clock.ts'
import type { Limit, LimitWindow } from './limits.ts'

/** Means by which the caller of a tracked request proved its identity (§2.6). */
export type UsageSource = 'apikey' | 'web' | 'legacy'

/** One tracked request (§2.6). Names are copies: they outlive renamed and removed accounts and keys. */
export interface UsageRecord {
  /** Unique: a record that is stored a second time changes nothing. */
  readonly id: string
  readonly userId: string
  readonly userName: string
  readonly source: UsageSource
  readonly apiKeyId?: string | undefined
  readonly apiKeyName?: string | undefined
  readonly model: string
  readonly endpoint: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly durationMs: number
  /** Milliseconds since the epoch. */
  readonly createdAt: number
  /** Prompt tokens that came from a cache. @default 0 */
  readonly cachedTokens?: number | undefined
  /** Completion tokens that were thoughts. @default 0 */
  readonly reasoningTokens?: number | undefined
  /** Whether the tokens are an estimate, because the server that answered did not say. @default false */
  readonly isEstimated?: boolean | undefined
  /** Length of sound and film that was read or made, in seconds with fractions. @default 0 */
  readonly seconds?: number | undefined
  /** Characters of text that became sound. @default 0 */
  readonly characters?: number | undefined
  /** Images that were made. @default 0 */
  readonly images?: number | undefined
  /** Prompt tokens that were written to a cache. @default 0 */
  readonly cacheWriteTokens?: number | undefined
  /** Cost in whole millionths of {@link UsageRecord.currency}, 0 or more; absent for an unknown cost. */
  readonly costMicros?: number | undefined
  /** ISO 4217 code of the currency in which costs were counted, for an unknown cost too. @default none were counted */
  readonly currency?: string | undefined
  /** The end user whom the request named, as it is stored. @default none */
  readonly endUser?: string | undefined
  /** Values of the request's tags by name. @default none */
  readonly tags?: Readonly<Record<string, string>> | undefined
}

/** Records with an end user, or with a tag. */
export interface UsageLabel {
  /** `end_user`, or `tag:` with the name of a tag. */
  readonly name: string
  /** Only records with this value. @default any value */
  readonly value?: string | undefined
  /** Whether groups are by value, instead of by account, source, key and model. @default false */
  readonly isGroup?: boolean | undefined
}

/** Choice of records, and their groups. */
export interface UsageQuery {
  /** Width of the buckets. */
  readonly bucket: 'hour' | 'day' | 'month'
  /** Records from this time on, milliseconds since the epoch. @default all */
  readonly since?: number | undefined
  readonly userId?: string | undefined
  readonly apiKeyId?: string | undefined
  /** Leaves out the use by shared keys. @default false */
  readonly withoutLegacy?: boolean | undefined
  /** Whether each model has groups of its own. */
  readonly byModel: boolean
  /** Whether keys and former names have groups of their own; if not, a group has one of the names. @default true */
  readonly byKey?: boolean | undefined
  /** Only records with this label. Reads sums alone, so that the whole first hour counts. @default all records */
  readonly label?: UsageLabel | undefined
}

/** Records of one bucket, account, source and currency and, where asked for, of one key and model. */
export interface UsageGroup {
  /** Start of the bucket, milliseconds since the epoch. */
  readonly bucketStart: number
  /** Empty unless each model has groups of its own. */
  readonly model: string
  readonly userId: string
  readonly userName: string
  readonly source: UsageSource
  readonly apiKeyId: string
  readonly apiKeyName: string
  readonly promptTokens: number
  readonly completionTokens: number
  readonly totalTokens: number
  readonly requests: number
  /** Tokens of `promptTokens` that came from a cache. */
  readonly cachedTokens: number
  /** Tokens of `completionTokens` that were thoughts. */
  readonly reasoningTokens: number
  /** Tokens of `totalTokens` that are an estimate. */
  readonly estimatedTokens: number
  /** Number of `requests` whose tokens are an estimate. */
  readonly estimatedRequests: number
  /** Length of sound and film, in seconds with fractions. */
  readonly seconds: number
  /** Characters of text that became sound. */
  readonly characters: number
  readonly images: number
  /** Tokens of `promptTokens` that were written to a cache. */
  readonly cacheWriteTokens: number
  /** Empty where no costs were counted. Costs of several currencies are in groups of their own. */
  readonly currency: string
  /** Sum of the known costs, in whole millionths of `currency`. */
  readonly costMicros: number
  /** Number of `requests` whose cost is unknown although costs were counted. */
  readonly unpricedRequests: number
  /** Time of the newest record, milliseconds since the epoch. */
  readonly lastUsedAt: number
  /** The value that groups by a label have in common. @default not grouped by a label */
  readonly labelValue?: string | undefined
}

/** Records of requests and their sums by the hour, day and month. */
export interface UsageStore {
  /**
   * Stores records and adds them to their sums, together or not at all. Records that it has already are left out.
   *
   * @param options.maxLabelValues values that sums of end users and of each tag keep apart in a day; the rest is summed
   *   as `(other)` @default 1000
   */
  append(
    records: readonly UsageRecord[],
    options: CallOptions & { readonly maxLabelValues?: number | undefined },
  ): Promise<void>
  /** Sums, of at most `limit` groups; more fail with `too_many_rows`. */
  group(query: UsageQuery, options: CallOptions & { readonly limit: number }): Promise<readonly UsageGroup[]>
  /** Names the source of records that have none (§2.6). @returns how many there were */
  backfillSources(options: CallOptions): Promise<number>
  /**
   * Removes single records, oldest first, as long as there are more than `maxRecords` or they are older than `before`,
   * and sums of hours and days that are older than theirs. Sums of months stay.
   *
   * @returns how many records and sums were removed, a little more than `limit` at most; call again until 0
   */
  prune(
    limits: {
      readonly maxRecords: number
      readonly before: number
      readonly hoursBefore: number
      readonly daysBefore: number
      readonly limit: number
    },
    options: CallOptions,
  ): Promise<number>
}

/** What a rule allows in a window of time. The ledger of quotas and limits counts under it. */
export interface RuleBounds {
  /** The id of its counter. */
  readonly id: string
  readonly maxRequests: number | undefined
  readonly maxTokens: number | undefined
  /** Whole millionths of a currency. @default no bound */
  readonly maxCostMicros?: number | undefined
  /** Requests that may run at a time. @default no bound */
  readonly maxParallel?: number | undefined
  /** Length of a window, milliseconds. */
  readonly windowMs: number
  /** Fixed windows are counted from here, milliseconds since the epoch. */
  readonly createdAt: number
  /** @default a fixed one of `windowMs` */
  readonly span?: LimitWindow | undefined
  /** Whether requests pass when it is full. @default false */
  readonly isSoft?: boolean | undefined
}

/** Limits of an account's use of a model in a window of time. */
export interface QuotaRule extends RuleBounds {
  readonly userId: string
  /** Empty: all models together. */
  readonly model: string
}

/** A limit as it holds for one subject: each subject of a limit for "each" has a counter of its own. */
export interface LimitRule extends RuleBounds {
  readonly limit: Limit
  /** Who is counted: the id of the subject, or the name of the model. */
  readonly subjectId: string
  /** The name of the group whose limit it is. */
  readonly groupName?: string | undefined
}

/** A rule that requests count under. */
export type CountedRule = QuotaRule | LimitRule

/** The part of a rolling window, by its start. */
export interface CounterBucket {
  /** Milliseconds since the epoch. */
  readonly start: number
  readonly requests: number
  readonly tokens: number
  readonly costMicros: number
}

/** The count of a rule in its window. */
export interface QuotaCounter {
  readonly ruleId: string
  /** Milliseconds since the epoch; of a rolling window the start of its newest part. */
  readonly windowStart: number
  readonly requests: number
  /** Used and reserved tokens. */
  readonly tokens: number
  /** Spent and reserved money in whole millionths. @default 0 */
  readonly costMicros?: number | undefined
  /** Open reservations. @default 0 */
  readonly parallel?: number | undefined
  /** The parts of a rolling window, oldest first. @default none */
  readonly buckets?: readonly CounterBucket[] | undefined
}

/** Asks for one request and some tokens under every one of some rules. */
export interface QuotaRequest {
  readonly reservationId: string
  readonly rules: readonly CountedRule[]
  readonly tokens: number
  /** Money that the request will cost, whole millionths. @default 0 */
  readonly costMicros?: number | undefined
  /** ISO 4217 code of the money. Budgets in another currency count none of it. @default that of every budget */
  readonly currency?: string | undefined
  /** Time at which the reservation is given back by itself, milliseconds since the epoch. */
  readonly expiresAt: number
  /**
   * Set to renew the reservation of a request that goes on: the tokens that it has used so far, a part of `tokens`. The
   * request counts once.
   */
  readonly used?: number | undefined
}

/** A rule with its counter. */
export interface RuleCount {
  readonly rule: CountedRule
  readonly counter: QuotaCounter
}

/** What a rule bounds. */
export type BoundKind = 'requests' | 'tokens' | 'cost' | 'parallel'

/** A soft limit that was full. */
export interface PassedLimit {
  readonly rule: LimitRule
  readonly full: BoundKind
}

/** Whether a {@link QuotaRequest} passed. */
export type QuotaVerdict =
  | {
      readonly granted: true
      /** The limits of the request, with the request itself. Quotas are left out. @default none */
      readonly counts?: readonly RuleCount[] | undefined
      /** The soft limits that were full. @default none */
      readonly passed?: readonly PassedLimit[] | undefined
    }
  | {
      readonly granted: false
      readonly rule: CountedRule
      /** Time from which on there may be room, milliseconds since the epoch. */
      readonly resetsAt: number
      /** What is full. */
      readonly full: BoundKind
      readonly counter: QuotaCounter
    }

/** The final figures of a request. */
export interface QuotaSettlement {
  readonly reservationId: string
  readonly rules: readonly CountedRule[]
  /** The request's tokens, or undefined when it does not count at all. */
  readonly tokens: number | undefined
  /** What the request has cost, whole millionths. @default what was reserved */
  readonly costMicros?: number | undefined
  /** As in {@link QuotaRequest}. */
  readonly currency?: string | undefined
}

/** A counter that a piece of work has changed. */
export interface CounterChange {
  readonly rule: CountedRule
  readonly before: QuotaCounter
  readonly after: QuotaCounter
}

/** Quota rules and their counts. */
export interface QuotaStore {
  listRules(userId: string, options: CallOptions): Promise<readonly QuotaRule[]>
  /** The rules of several accounts. */
  listRulesByUsers(userIds: readonly string[], options: CallOptions): Promise<readonly QuotaRule[]>
  /** Creates a rule, or changes the one of the same account and model; its window then starts anew. */
  putRule(rule: QuotaRule, options: CallOptions): Promise<QuotaRule>
  removeRule(rule: { readonly id: string; readonly userId: string }, options: CallOptions): Promise<boolean>
  readCounters(ruleIds: readonly string[], options: CallOptions): Promise<readonly QuotaCounter[]>
  /**
   * Looks at counters in the order of their ids, and removes those whose rule or limit is gone: a request that ended
   * after its limit was removed leaves one.
   *
   * @param options.after the id to begin behind
   * @param options.limit counters to look at
   * @returns the id to go on behind; undefined at the end
   */
  removeStray(options: CallOptions & { readonly after: string; readonly limit: number }): Promise<string | undefined>
  /** Overwrites counters, for the only process that counts. Counters of removed rules and limits are left out. */
  writeCounters(counters: readonly QuotaCounter[], options: CallOptions): Promise<void>
  /**
   * Settles and reserves in one transaction. Reservations that have expired are given back before a request is refused.
   *
   * @returns a verdict for each of `requests`, in order
   */
  apply(
    work: {
      readonly requests: readonly QuotaRequest[]
      readonly settlements: readonly QuotaSettlement[]
      readonly now: number
      /** Takes the changes of counters of limits. They hold once the work is stored. */
      readonly onChange?: ((change: CounterChange) => void) | undefined
    },
    options: CallOptions,
  ): Promise<readonly QuotaVerdict[]>
  /**
   * Runs a change after which the counters of a limit are gone or begin anew, and drops what is in memory of them. No
   * counter is written meanwhile. @default only runs the change
   */
  restart?(limitId: string, change: () => Promise<boolean>): Promise<boolean>
  /** Stores what is only in memory. @default does nothing */
  flush?(options: CallOptions): Promise<void>
}
