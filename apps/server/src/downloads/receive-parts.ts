import type { OutboundResponse } from '../outbound/response.ts'
import { readContentRange } from './content-version.ts'
import { cutShort } from './download-failures.ts'
import type { PartialFile } from './partial-file.ts'

/** Result of an attempt: `changed` where the origin has another content by now, `refused` where it gives no parts. */
export type FetchOutcome = 'done' | 'changed' | 'refused'

/** Options of {@link receiveParts}. */
export interface ReceivePartsOptions {
  readonly partial: PartialFile
  /** Name of the file, for messages. */
  readonly what: string
  /** Size of the whole content. */
  readonly totalBytes: number
  /** Parts that come at a time. */
  readonly parts: number
  readonly partBytes: number
  /** Asks the origin for a range, such as `bytes=0-99`. */
  readonly ask: (range: string, options: { readonly signal: AbortSignal }) => Promise<OutboundResponse>
  /** Whether a reply is of the content that the file was begun with. */
  readonly isSame: (reply: OutboundResponse) => boolean
  readonly onProgress: (facts: { readonly currentBytes: number; readonly totalBytes: number }) => void
  readonly signal: AbortSignal
}

/** Ends the parts where the origin does not answer with them. */
class NoPart extends Error {
  override readonly name = 'NoPart'
  readonly outcome: Exclude<FetchOutcome, 'done'>

  constructor(outcome: Exclude<FetchOutcome, 'done'>) {
    super(`the origin gives no part: ${outcome}`)
    this.outcome = outcome
  }
}

/**
 * Receives the rest of a file in parts over several connections. They are written in their order, so the partial file
 * always is the begin of the whole; no more than `parts * partBytes` wait in memory. The reply that has begun already
 * serves as the first part.
 *
 * @throws as the reply does; the failure of a part ends all
 */
export async function receiveParts(first: OutboundResponse, options: ReceivePartsOptions): Promise<FetchOutcome> {
  const { partial, parts, partBytes, totalBytes, onProgress } = options
  const stop = new AbortController()
  const signal = AbortSignal.any([options.signal, stop.signal])
  const window: Part[] = []
  let receivedBytes = partial.offset
  let next = partial.offset
  const fill = (): void => {
    while (window.length < parts && next < totalBytes) {
      const [begin, end] = [next, Math.min(totalBytes, next + partBytes)]
      const part = new Part(begin, end, (bytes) => {
        receivedBytes += bytes
        onProgress({ currentBytes: receivedBytes, totalBytes })
      })
      part.receive(
        begin === partial.offset ? async () => first : () => askForPart(part, { ...options, signal }),
        options,
      )
      window.push(part)
      next = end
    }
  }
  try {
    for (fill(); window[0] !== undefined; fill()) {
      await window[0].writeTo(partial)
      window.shift()
    }
    return 'done'
  } catch (error) {
    if (error instanceof NoPart) return error.outcome
    throw error
  } finally {
    stop.abort(new DOMException('no further part is needed', 'AbortError'))
    await first.close()
    await Promise.all(window.map(({ ended }) => ended))
  }
}

/** @throws {NoPart} for a reply that is not the part, or has another content */
async function askForPart(
  { begin, end }: Part,
  { ask, isSame, totalBytes, signal }: ReceivePartsOptions,
): Promise<OutboundResponse> {
  const reply = await ask(`bytes=${begin}-${end - 1}`, { signal })
  const range = readContentRange(reply)
  const isPlain = (reply.headers['content-encoding'] ?? 'identity') === 'identity'
  const isPart = reply.status === 206 && isPlain && range?.first === begin && range.last === end - 1
  if (isPart && range.totalBytes === totalBytes && isSame(reply)) return reply
  await reply.close()
  // The whole content comes where a condition did not hold; any other answer is that of an origin that limits calls.
  throw new NoPart(isPart || reply.status === 200 ? 'changed' : 'refused')
}

/** A part that comes. Its bytes wait in memory until the parts before it are written. */
class Part {
  readonly begin: number
  readonly end: number
  /** Resolves when nothing more comes. */
  ended: Promise<void> = Promise.resolve()
  readonly #onBytes: (bytes: number) => void
  #pieces: Uint8Array[] = []
  #isEnded = false
  #failure: { readonly error: unknown } | undefined
  #tell: () => void = () => undefined
  #news: Promise<void> = Promise.resolve()

  constructor(begin: number, end: number, onBytes: (bytes: number) => void) {
    this.begin = begin
    this.end = end
    this.#onBytes = onBytes
    this.#expectNews()
  }

  /** Begins to receive. */
  receive(
    open: () => Promise<OutboundResponse>,
    { what, totalBytes }: Pick<ReceivePartsOptions, 'what' | 'totalBytes'>,
  ) {
    const run = async (): Promise<void> => {
      await using reply = await open()
      let missing = this.end - this.begin
      for await (const piece of reply.body) {
        const wanted = piece.subarray(0, missing)
        missing -= wanted.length
        this.#pieces.push(wanted)
        this.#onBytes(wanted.length)
        this.#tell()
        this.#expectNews()
        if (missing === 0) return
      }
      throw cutShort(what, this.end - missing, totalBytes)
    }
    this.ended = run()
      .catch((error: unknown) => {
        this.#failure = { error }
      })
      .finally(() => {
        this.#isEnded = true
        this.#tell()
      })
  }

  /** Writes the part as it comes. @throws the error that ended it early */
  async writeTo(partial: PartialFile): Promise<void> {
    for (;;) {
      const [news, isEnded, pieces] = [this.#news, this.#isEnded, this.#pieces]
      this.#pieces = []
      if (pieces.length > 0) await partial.append(pieces)
      else if (isEnded) break
      else await news
    }
    if (this.#failure !== undefined) throw this.#failure.error
  }

  #expectNews(): void {
    this.#news = new Promise((resolve) => {
      this.#tell = resolve
    })
  }
}
