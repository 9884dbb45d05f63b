import type { CallOptions } from './clock.ts'

/** What a limit holds for. */
export const LIMIT_SUBJECTS = ['account', 'key', 'group', 'group_member', 'model', 'end_user'] as const
export type LimitSubjectKind = (typeof LIMIT_SUBJECTS)[number]

/** Units of calendar windows. They begin at full minutes, hours, days and months in UTC. */
export const CALENDAR_UNITS = ['minute', 'hour', 'day', 'month'] as const
export type CalendarUnit = (typeof CALENDAR_UNITS)[number]

/** The time that a limit counts over. Lengths are milliseconds. */
export type LimitWindow =
  | { readonly kind: 'calendar'; readonly unit: CalendarUnit }
  /** The time that has just passed. */
  | { readonly kind: 'rolling'; readonly ms: number }
  /** Windows that follow each other from the creation of the limit on. */
  | { readonly kind: 'fixed'; readonly ms: number }

/** A limit of requests, tokens, money or requests at a time. */
export interface Limit {
  readonly id: string
  readonly subject: {
    readonly kind: LimitSubjectKind
    /**
     * Id of the account, key, group or end user, or the name of the model; `*`: each of them for itself. Of `group_member`
     * the id of the group whose members are counted each for itself.
     */
    readonly id: string
  }
  /** Requests for this model alone; empty: all models together. */
  readonly model: string
  readonly maxRequests: number | undefined
  readonly maxTokens: number | undefined
  /** Whole millionths of {@link currency}. */
  readonly maxCostMicros: number | undefined
  /** ISO 4217 code of a bound of money; empty without one. */
  readonly currency: string
  /** Requests that may run at a time. */
  readonly maxParallel: number | undefined
  readonly window: LimitWindow
  /** Whether requests pass when the limit is full; then it only tells. */
  readonly isSoft: boolean
  readonly isEnabled: boolean
  readonly note: string
  /** Milliseconds since the epoch. */
  readonly createdAt: number
}

/** Limits. Their counters are kept with those of quotas. */
export interface LimitStore {
  /** All limits, oldest first. */
  list(options: CallOptions): Promise<readonly Limit[]>
  /** Creates a limit, unless there are `most` already. @returns whether it was created */
  create(limit: Limit, options: CallOptions & { readonly most: number }): Promise<boolean>
  /**
   * Changes a limit.
   *
   * @param options.restarts whether its counters begin at zero
   * @returns whether there is one
   */
  change(limit: Limit, options: CallOptions & { readonly restarts: boolean }): Promise<boolean>
  /** Removes a limit with its counters. @returns whether there was one */
  remove(id: string, options: CallOptions): Promise<boolean>
  /**
   * Removes counters of a limit for "each" whose windows began before a time and that no request holds.
   *
   * @returns how many there were, at most `limit`
   */
  removeOldCounters(
    id: string,
    options: CallOptions & { readonly before: number; readonly limit: number },
  ): Promise<number>
}
