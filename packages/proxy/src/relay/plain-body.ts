import type { SvcError } from '@svc/errors'
import type { BodyPiece } from '@svc/http-client'
import { upstreamFailed } from '@svc/http-client'
import type { CompletionUsage } from '@svc/wire/openai'
import { tryParseJson } from '../fields.ts'
import type { Provider } from '../ports.ts'
import { addFigures, readCompatibleUsage, toCompatibleUsage } from '../translate/usage.ts'
import { type AnswerSize, measureAnswer } from './answer-size.ts'
import { endRewrite, rewriteText } from './byte-rewriter.ts'
import type { RelayBody, RelayBodyOptions } from './relay-body.ts'
import { findUsage } from './usage-of-body.ts'

/** A body up to this size is sent once it is whole, so that a cut is an error with a status of its own. */
const MAX_COLLECTED_BYTES = 256 * 1024
/** The end of a longer body, which is searched for usage figures. */
const TAIL_BYTES = 16 * 1024

/** Any body except event streams: JSON, an error of the upstream, or encoded content. */
export class PlainBody implements RelayBody {
  readonly stopReason = undefined
  readonly #options: RelayBodyOptions
  readonly #isReadable: boolean
  readonly #isJson: boolean
  /** Bytes that are not sent yet; of a long body, its end. */
  #collected = ''
  #pieces: string[] = []
  #pieceBytes = 0
  #bytes = 0

  constructor(options: RelayBodyOptions, kind: { readonly isReadable: boolean; readonly isJson: boolean }) {
    this.#options = options
    this.#isReadable = kind.isReadable
    this.#isJson = kind.isJson
  }

  get usage(): CompletionUsage | undefined {
    if (!this.#isReadable) return undefined
    return readUsage(this.#options.provider, this.#collected + this.#pieces.join(''))
  }

  /** A long or unreadable body counts as it is. */
  get answer(): AnswerSize {
    const { head, provider } = this.#options
    if (head.status >= 300) return { bytes: 0, uncounted: 0 }
    const text = this.#collected + this.#pieces.join('')
    const isWhole = this.#isReadable && text.length === this.#bytes
    const bytes = isWhole ? measureAnswer(text, provider, 'whole') : this.#bytes
    return { bytes, uncounted: this.usage === undefined ? bytes : 0 }
  }

  data(piece: BodyPiece): boolean {
    const text = piece.toLatin1()
    this.#bytes += text.length
    this.#pieces.push(text)
    this.#pieceBytes += text.length
    const { reply, head, headers } = this.#options
    if (!reply.hasStarted) {
      if (this.#pieceBytes <= MAX_COLLECTED_BYTES) return true
      reply.start(head.status, [...headers, ...this.#lengthHeader()])
    }
    return this.#flush()
  }

  end(): SvcError | undefined {
    const { reply, head, headers, rewriter } = this.#options
    if (reply.hasStarted) {
      reply.write(endRewrite(rewriter))
      reply.end()
      return undefined
    }
    const body = this.#pieces.join('')
    this.#pieces = [body]
    if (this.#looksCut(body)) return upstreamFailed('truncated')
    reply.whole(head.status, headers, rewriteText(rewriter, body) + endRewrite(rewriter))
    return undefined
  }

  fail(): void {
    this.#options.reply.cut()
  }

  #flush(): boolean {
    const text = this.#pieces.join('')
    const { reply, rewriter } = this.#options
    this.#pieces = []
    this.#pieceBytes = 0
    this.#collected = text.length >= TAIL_BYTES ? text.slice(-TAIL_BYTES) : (this.#collected + text).slice(-TAIL_BYTES)
    return reply.write(rewriteText(rewriter, text))
  }

  /** A rewriter may change the length; then the body is sent in chunks. */
  #lengthHeader(): [string, string][] {
    const { lengthBytes } = this.#options.head
    return lengthBytes === undefined || this.#options.rewriter !== undefined
      ? []
      : [['content-length', String(lengthBytes)]]
  }

  /** A body that ends with the connection shows a cut only in its JSON. */
  #looksCut(body: string): boolean {
    if (!this.#options.head.endsWithConnection || !this.#isReadable || !this.#isJson) return false
    return tryParseJson(body) === undefined
  }
}

function readUsage(provider: Provider, text: string): CompletionUsage | undefined {
  const usage = findUsage(text)
  if (usage === undefined) return undefined
  return provider === 'provider_b' ? toCompatibleUsage(addFigures({}, usage)) : readCompatibleUsage(usage)
}
