import type { SvcError } from '@svc/errors'
import type { BodyPiece, Header, UpstreamHead } from '@svc/http-client'
import type { CompletionUsage } from '@svc/wire/openai'
import type { Provider } from '../ports.ts'
import type { AnswerSize } from './answer-size.ts'
import type { ByteRewriter } from './byte-rewriter.ts'
import type { ClientReply } from './client-reply.ts'

/** The body of a reply on its way to the client. */
export interface RelayBody {
  readonly usage: CompletionUsage | undefined
  readonly answer: AnswerSize
  readonly stopReason: string | undefined
  /** @returns false when the client does not keep up */
  data(piece: BodyPiece): boolean
  /** Ends the body. @returns an error when a part is missing */
  end(): SvcError | undefined
  /** Reports an error to a client whose reply has begun. */
  fail(error: SvcError): void
}

/** The parts of a reply that its body uses. */
export interface RelayBodyOptions {
  readonly head: UpstreamHead
  /** Headers for the client. */
  readonly headers: readonly Header[]
  readonly provider: Provider
  readonly rewriter: ByteRewriter | undefined
  /** Whether the figures in events are only for us, so that the client does not get them. */
  readonly stripsUsage: boolean
  readonly reply: ClientReply
}
