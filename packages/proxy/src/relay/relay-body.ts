import type { SvcError } from '@svc/errors'
import type { CompletionUsage } from '@svc/wire'
import { headerOf } from '../upstream-error.ts'
import { EventStreamBody } from './event-stream-body.ts'
import { PlainBody } from './plain-body.ts'
import type { RelayBodyOptions } from './relay.ts'

/** The body of a reply on its way to the client. */
export interface RelayBody {
  readonly usage: CompletionUsage | undefined
  readonly stopReason: string | undefined
  /** @returns false when the client does not keep up */
  data(bytes: Buffer): boolean
  /** The upstream has said all. @returns what is missing, where something is */
  end(): SvcError | undefined
  /** Tells the client, whose reply has begun, that it ends here. */
  fail(error: SvcError): void
}

/** Makes the body for a head. Encoded content is passed on as it is: nothing can be read in it. */
export function createRelayBody(options: RelayBodyOptions): RelayBody {
  const { headers, status } = options.head
  const type = headerOf(headers, 'content-type') ?? ''
  const coding = headerOf(headers, 'content-encoding') ?? 'identity'
  const isReadable = /^identity$/i.test(coding.trim())
  if (status < 300 && isReadable && /^text\/event-stream\s*(?:;|$)/i.test(type)) return new EventStreamBody(options)
  return new PlainBody(options, { isReadable, isJson: /^application\/(?:[\w.-]+\+)?json\s*(?:;|$)/i.test(type) })
}
