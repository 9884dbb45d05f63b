import { SvcError } from '@svc/errors'
import { applySplices } from '@svc/json'
import type { BodyFilter, FilterVerdict, ReplyRestorer, ScannedFormat } from '@svc/mitm'
import { createSseRestorer, restoreJsonBody, type TokenMap } from '@svc/pii/reversible'
import { readDocument } from '../inference/documents/read-json.ts'
import type { ConsumerPolicy } from '../pii/consumer-policy.ts'
import type { RequestFilter } from '../pii/request-filter.ts'

/** Options of {@link createBodyFilter}. */
export interface BodyFilterOptions {
  readonly policy: ConsumerPolicy
  /** The filter of the server; the first request loads it. */
  readonly openFilter: () => Promise<Pick<RequestFilter, 'filterBody'>>
}

/** Filters intercepted bodies as the server filters requests of a model with this policy. Nobody is known as the user. */
export function createBodyFilter({ policy, openFilter }: BodyFilterOptions): BodyFilter {
  return {
    async filter({ body, format, correlationId }, { signal }) {
      const document = await readDocument(body, { abort: signal })
      const filter = await openFilter()
      try {
        const { splices, restoration } = await filter.filterBody(
          { document, format, correlationId, userId: '', abort: signal, signal },
          { policy, origin: 'proxy' },
        )
        return {
          blocked: false,
          body: applySplices(body, splices),
          // A reply of vectors holds no text.
          restorer: restoration && format !== 'embeddings' ? createReplyRestorer(format, restoration) : undefined,
        }
      } catch (error) {
        return toBlock(error)
      }
    },
  }
}

/** @throws every error that is not a block */
function toBlock(error: unknown): FilterVerdict {
  if (!SvcError.is(error) || error.code !== 'pii_blocked') throw error
  const { pii_event_id: eventId } = (error.details?.beside ?? {}) as { readonly pii_event_id?: string | undefined }
  return { blocked: true, message: error.message, fields: eventId === undefined ? {} : { pii_event_id: eventId } }
}

function createReplyRestorer(format: Exclude<ScannedFormat, 'embeddings'>, map: TokenMap): ReplyRestorer {
  return {
    restoreBody: (body) => restoreJsonBody(map, body),
    startStream: () => createSseRestorer(format, map),
  }
}
