import { restoreText } from '@svc/pii/reversible'
import type { FilteredRequest } from '../../pii/request-filter.ts'
import type { RequestLedger } from './ledger.ts'

/**
 * The calls of a request that calls a model again: a tool loop decorates `ModelCalls`, calls the model, runs the tools
 * that it asks for, and calls it with the results. Each call has its own account in the ledger.
 */
export interface Turns {
  /**
   * Reserves the tokens of the next call under the quotas of the caller, beside those of the calls so far.
   *
   * @throws {SvcError} `quota_exceeded`; the request may end with its results so far
   */
  reserve(tokens: number): Promise<void>
  /**
   * Filters texts that the next call adds, by the policy of the request.
   *
   * @throws {SvcError} as the filter of requests; the texts must not be sent then
   */
  filter(texts: readonly string[]): Promise<readonly string[]>
  /** Whether the policy of the request lets no media join. */
  readonly blocksMedia: boolean
  /** Puts masked values back into text that leaves the conversation. @param kind `json` for the arguments of a call */
  restore(text: string, kind?: 'text' | 'json'): string
}

/** Creates the turns of one request. */
export function createTurns({ ledger, filtered }: { ledger: RequestLedger; filtered: FilteredRequest }): Turns {
  const { later, restoration = later?.masks } = filtered
  return {
    reserve: async (next) => ledger.reservation?.renew({ used: ledger.tokens, next }),
    blocksMedia: later?.blocksMedia ?? false,
    filter: async (texts) => (later === undefined ? texts : await later.filter(texts)),
    restore: (text, kind = 'text') => (restoration === undefined ? text : restoreText(restoration, text, kind)),
  }
}
