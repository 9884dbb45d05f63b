import type { ReplyTarget } from '@svc/proxy'
import type { PredictionEvent } from '../core/events.ts'
import type { RequestLedger } from '../core/ledger.ts'
import type { RequestContext } from '../core/ports.ts'
import type { ContentResult, GenerationCall, JsonResult } from './wire-format.ts'

interface ReplyBase {
  readonly context: RequestContext
  readonly ledger: RequestLedger
}

/** A started prediction. Its events come in batches: one batch for each read from the backend's connection. */
export interface EventsReply extends ReplyBase {
  readonly kind: 'events'
  readonly call: GenerationCall
  /** Ending the iteration early ends the prediction. */
  readonly batches: AsyncIterable<readonly PredictionEvent[]>
}

/** The result of an operation as JSON. */
export interface JsonReply extends ReplyBase, JsonResult {}

/** The result of an operation as bytes. */
export interface ContentReply extends ReplyBase, ContentResult {}

/** A reply that an upstream sends byte for byte. */
export interface RelayedReply extends ReplyBase {
  readonly kind: 'relayed'
  /** Asks the upstream and writes its reply as it comes. @throws {SvcError} a failure before the reply has begun */
  relayTo(target: ReplyTarget): Promise<void>
}

/** The answer to a request, ready to write. */
export type Reply = EventsReply | JsonReply | ContentReply | RelayedReply
