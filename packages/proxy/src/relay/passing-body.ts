import type { SvcError } from '@svc/errors'
import { type BodyPiece, upstreamFailed } from '@svc/http-client'
import type { RelayBody, RelayBodyOptions } from './relay-body.ts'

/**
 * A body that passes byte for byte as it arrives, whatever its format is. A cut shows only in the framing of HTTP; the
 * client's connection is cut then too.
 */
export class PassingBody implements RelayBody {
  readonly usage = undefined
  readonly stopReason = undefined
  readonly #options: RelayBodyOptions
  #bytes = 0

  constructor(options: RelayBodyOptions) {
    this.#options = options
  }

  get answer(): RelayBody['answer'] {
    return { bytes: this.#bytes, uncounted: this.#bytes }
  }

  data(piece: BodyPiece): boolean {
    const text = piece.toLatin1()
    this.#bytes += text.length
    this.#start()
    return this.#options.reply.write(text)
  }

  end(): SvcError | undefined {
    const { reply, head } = this.#options
    if (this.#bytes === 0 && head.endsWithConnection) return upstreamFailed('truncated')
    this.#start()
    reply.end()
    return undefined
  }

  fail(): void {
    this.#options.reply.cut()
  }

  #start(): void {
    const { reply, head, headers } = this.#options
    if (reply.hasStarted) return
    const length: [string, string][] =
      head.lengthBytes === undefined ? [] : [['content-length', String(head.lengthBytes)]]
    reply.start(head.status, [...headers, ...length, ['cache-control', 'no-cache'], ['x-accel-buffering', 'no']])
  }
}
