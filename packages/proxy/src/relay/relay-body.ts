import type { SvcError } from '@svc/errors'
import type { BodyPiece, Header, UpstreamHead } from '@svc/http-client'
import type { CompletionUsage } from '@svc/wire/openai'
import type { Provider } from '../ports.ts'
import type { ByteRewriter } from './byte-rewriter.ts'
import type { ClientReply } from './client-reply.ts'

/** The body of a reply on its way to the client. */
export interface RelayBody {
  readonly usage: CompletionUsage | undefined
  readonly stopReason: string | undefined
  /** @returns false when the client does not keep up */
  data(piece: BodyPiece): boolean
  /** The upstream has said all. @returns what is missing, where something is */
  end(): SvcError | undefined
  /** Tells the client, whose reply has begun, that it ends here. */
  fail(error: SvcError): void
}

/** What a body needs of the reply it belongs to. */
export interface RelayBodyOptions {
  readonly head: UpstreamHead
  /** Those that the client gets. */
  readonly headers: readonly Header[]
  readonly provider: Provider
  readonly rewriter: ByteRewriter | undefined
  readonly reply: ClientReply
}
