import { SvcError } from '@svc/errors'
import { untilAborted } from '../../concurrency/until-aborted.ts'
import type { AbortSignalLike } from '../../ports.ts'
import type { ReplyWriter, RequestContext } from '../core/ports.ts'
import { type ByteRange, type RangedRequest, selectRange } from './byte-range.ts'

/** A reply that consists of bytes, such as sound or an image. */
export interface Content {
  readonly mediaType: string
  /** Number of bytes. Undefined when it is known at the end only. */
  readonly length?: number | undefined
  /** Further headers by lower-case names. */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** Whether a client may ask for a part: content of a known length that {@link read} gives in parts. @default false */
  readonly hasRanges?: boolean | undefined
  /**
   * Gives the bytes, or a part of them. Called once, or never: for a client that takes no bytes. Ending the iteration early ends their source.
   *
   * @param range only for content with ranges
   */
  read(range?: ByteRange): AsyncIterable<Uint8Array>
  /**
   * Gives the last bytes of content that fails after its first piece.
   *
   * @default the connection is cut
   */
  tellFailure?(error: SvcError): Uint8Array
  /** Releases the content. Called when the reply has ended, whether its bytes were read or not. */
  readonly release?: (() => void) | undefined
}

/** Options of {@link writeContent}. */
export interface ContentOptions {
  /** Ends the reply, and may ask for a part of the content. */
  readonly request: RangedRequest & Pick<RequestContext, 'abort'>
  /** Headers of the reply, by lower-case names. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined
  /**
   * Gives the last bytes of a reply that fails after its first piece.
   *
   * @default the connection is cut
   */
  readonly onFailure?: ((thrown: unknown) => Uint8Array | undefined) | undefined
}

/** The head of a reply with content. */
interface ContentHead {
  readonly status: 200 | 206
  readonly headers: Record<string, string>
  readonly range: ByteRange | undefined
  /** Bytes of the body. */
  readonly length: number | undefined
}

/**
 * Writes content. Its first piece is read before the head is sent, so that a failure until then has a status of its own.
 *
 * @throws {SvcError} `invalid_request` (`range_not_satisfiable`); a failure of the content, also after the reply has
 *   begun: the connection must be cut then; `cancelled` when the client leaves
 */
export async function writeContent(writer: ReplyWriter, content: Content, options: ContentOptions): Promise<void> {
  try {
    options.request.abort.throwIfAborted()
    const head = toHead(content, options)
    if (head === 'unsatisfiable') throw notSatisfiable(content)
    if (writer.dropsBody === true) {
      writer.startStream(content.mediaType, head.headers, head.status)
      writer.end()
    } else await writeAll(writer, content, { head, abort: options.request.abort, onFailure: options.onFailure })
  } finally {
    content.release?.()
  }
}

/** Circumstances of the bytes. */
interface Writing extends Pick<ContentOptions, 'onFailure'> {
  readonly head: ContentHead
  readonly abort: AbortSignalLike
}

async function writeAll(writer: ReplyWriter, content: Content, writing: Writing): Promise<void> {
  try {
    await writePieces(writer, content, writing)
  } catch (thrown) {
    const last = writer.started ? writing.onFailure?.(thrown) : undefined
    if (last === undefined) throw thrown
    await writer.write(last).catch(() => undefined)
    writer.end()
  }
}

async function writePieces(writer: ReplyWriter, content: Content, { head, abort }: Writing): Promise<void> {
  const iterator = content.read(head.range)[Symbol.asyncIterator]()
  let isDone = false
  try {
    let written = 0
    let step = await next(iterator, abort)
    for (;;) {
      const bytes = step.done === true ? 0 : step.value.length
      written += bytes
      checkLength(written, head.length, step.done === true)
      if (!writer.started) writer.startStream(content.mediaType, head.headers, head.status)
      if (step.done === true) break
      if (bytes > 0) await writer.write(step.value)
      // A client that has all bytes may leave at once, and has not broken off.
      if (written === head.length) break
      step = await next(iterator, abort)
    }
    writer.end()
    isDone = step.done === true
  } finally {
    // The source may be waiting for something that never comes.
    if (!isDone) iterator.return?.().then(undefined, () => undefined)
  }
}

function toHead(content: Content, { request, headers: given }: ContentOptions): ContentHead | 'unsatisfiable' {
  const { length, hasRanges = false } = content
  const headers = { ...given, ...content.headers }
  const ranged = hasRanges && length !== undefined
  const range = ranged ? selectRange(request, length) : undefined
  if (range === 'unsatisfiable') return range
  const common = ranged ? { ...headers, 'accept-ranges': 'bytes' } : headers
  if (range === undefined) {
    const sized = length === undefined ? common : { ...common, 'content-length': String(length) }
    return { status: 200, headers: sized, range, length }
  }
  const size = range.end - range.start
  return {
    status: 206,
    headers: {
      ...common,
      'content-length': String(size),
      'content-range': `bytes ${range.start}-${range.end - 1}/${length}`,
    },
    range,
    length: size,
  }
}

function notSatisfiable({ length }: Content): SvcError {
  return new SvcError('invalid_request', `the range begins after the last of ${length} bytes`, {
    code: 'range_not_satisfiable',
    details: { length },
  })
}

function checkLength(written: number, length: number | undefined, isEnd: boolean): void {
  if (length === undefined || (isEnd ? written === length : written <= length)) return
  throw new SvcError('internal', `content of ${length} bytes has ${isEnd ? 'fewer' : 'more'}`, {
    code: 'content_length',
  })
}

/** Waits for the next piece, or until the request ends. */
async function next(
  iterator: AsyncIterator<Uint8Array>,
  abort: AbortSignalLike,
): Promise<IteratorResult<Uint8Array, unknown>> {
  abort.throwIfAborted()
  return await untilAborted(iterator.next(), abort)
}
