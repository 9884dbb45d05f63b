import { SvcError } from '@svc/errors'
import type { OutboundClient } from '../../outbound/client.ts'
import type { Attachment, MediaKind, Medium } from './attachment.ts'
import { countBase64Bytes, toStandardBase64 } from './base64-text.ts'
import { type ByteBudget, createByteBudget } from './byte-budget.ts'
import { type DataUrl, parseDataUrl, toEssence } from './data-url.ts'
import { invalidMedia, mediaTooLarge, toMediaFailure } from './media-refusal.ts'
import { SNIFFED_BYTES, type SniffedMedia, sniffMedia } from './sniff-media.ts'

/** Bounds of media, in bytes after decoding. */
export interface MediaLimits {
  /** One image. */
  readonly imageBytes: number
  /** One sound, film or file. */
  readonly otherBytes: number
  /** All media of one request; in base64 they must fit into a message to a backend. */
  readonly requestBytes: number
  /** All media that the server holds at the same time. */
  readonly totalBytes: number
  /** One fetch, from the name look-up to the last byte. */
  readonly fetchMs: number
}

/** Reads the media of requests. */
export interface MediaReader {
  /** Starts reading the media of one request. */
  open(): MediaReading
}

/** The media of one request. */
export interface MediaReading {
  /**
   * Reads one medium from any source. Only its first bytes decide its type; claims are not trusted.
   *
   * @param options.accepts the kinds that the model takes
   * @throws {SvcError} `invalid_request` with code `invalid_media`, or `modality_not_supported` for a file of a kind
   *   that the model does not take; `too_large`, `unavailable`; the signal's reason
   */
  read(
    attachment: Attachment,
    options: { readonly accepts: ReadonlySet<MediaKind>; readonly signal: AbortSignal },
  ): Promise<Medium>
  /** Gives back the bytes that the media of the request count with. */
  release(): void
}

/** Options of {@link createMediaReader}. */
export interface MediaReaderOptions {
  readonly outbound: OutboundClient
  readonly limits: MediaLimits
}

/** Bytes of a medium with its claimed type. */
interface Found {
  readonly base64: string
  readonly head: Uint8Array
  /** The type that the client or the other server claims. */
  readonly claimed: string | undefined
}

const REDIRECTS = 3
const ACCEPT: Readonly<Record<Attachment['kind'], string>> = {
  image: 'image/*',
  audio: 'audio/*',
  video: 'video/*',
  file: '*/*',
}

/** Creates a reader that holds nothing. */
export function createMediaReader({ outbound, limits }: MediaReaderOptions): MediaReader {
  const held = createByteBudget(limits.totalBytes)
  return {
    open() {
      const own = createByteBudget(limits.requestBytes)
      return {
        async read(attachment, { accepts, signal }) {
          const take = createTake(attachment, { own, held, limits })
          const found = await find(attachment, { outbound, take, limits, signal })
          const { mediaType, kinds } = checkType(attachment, found)
          const kind = kinds.find((each) => accepts.has(each)) ?? kinds[0]
          if (kind === undefined || !accepts.has(kind)) throw notTaken(attachment, kind)
          return { kind, mediaType, base64: found.base64 }
        },
        release() {
          held.give(own.takenBytes)
          own.give(own.takenBytes)
        },
      }
    },
  }
}

/** Creates the refusal of a medium that the model does not take. */
export function notTaken({ param }: Pick<Attachment, 'param'>, kind: Attachment['kind'] | undefined): SvcError {
  return new SvcError('invalid_request', `${param}: this model takes no ${kind ?? 'file'}`, {
    code: 'modality_not_supported',
    details: { type: 'invalid_request_error', param },
  })
}

/** Counts bytes of a medium as they arrive. */
type Take = (bytes: number) => void

function createTake(
  attachment: Attachment,
  { own, held, limits }: { readonly own: ByteBudget; readonly held: ByteBudget; readonly limits: MediaLimits },
): Take {
  const maxBytes = toLimit(attachment, limits)
  let size = 0
  return (bytes) => {
    size += bytes
    if (size > maxBytes) throw mediaTooLarge(attachment, maxBytes)
    if (!held.take(bytes)) {
      throw new SvcError('unavailable', 'too many media in memory; retry shortly', {
        code: 'media_memory',
        retryAfterMs: 1000,
      })
    }
    if (own.take(bytes)) return
    held.give(bytes)
    throw mediaTooLarge(attachment, limits.requestBytes)
  }
}

function toLimit({ kind }: Attachment, { imageBytes, otherBytes }: MediaLimits): number {
  return kind === 'image' ? imageBytes : otherBytes
}

interface FindOptions extends MediaReaderOptions {
  readonly take: Take
  readonly signal: AbortSignal
}

async function find(attachment: Attachment, options: FindOptions): Promise<Found> {
  const { source } = attachment
  if ('base64' in source) {
    // Some clients write a data URL in the place of plain base64.
    const written = parseDataUrl(source.base64)
    const mediaType = toEssence(source.mediaType)
    return decode(attachment, written ?? { mediaType, base64: source.base64 }, options)
  }
  const written = parseDataUrl(source.url)
  if (written !== undefined) return decode(attachment, written, options)
  if (/^https?:\/\//i.test(source.url)) return download(attachment, source.url, options)
  throw invalidMedia(attachment, 'must be an http or https URL, or a data URL in base64')
}

async function decode(attachment: Attachment, written: DataUrl, { take, signal }: FindOptions): Promise<Found> {
  const base64 = await toStandardBase64(written.base64, signal)
  if (base64 === undefined) throw invalidMedia(attachment, 'the data are not valid base64')
  take(countBase64Bytes(base64))
  // Four digits hold three bytes.
  const head = Buffer.from(base64.slice(0, Math.ceil(SNIFFED_BYTES / 3) * 4), 'base64')
  return { base64, head, claimed: written.mediaType }
}

async function download(
  attachment: Attachment,
  url: string,
  { outbound, take, limits, signal }: FindOptions,
): Promise<Found> {
  const maxBytes = toLimit(attachment, limits)
  try {
    await using reply = await outbound.fetch(url, {
      signal,
      trust: 'public',
      maxBytes,
      timeoutMs: limits.fetchMs,
      redirects: REDIRECTS,
      headers: { accept: ACCEPT[attachment.kind] },
    })
    if (reply.status !== 200) throw invalidMedia(attachment, 'the URL could not be fetched')
    const chunks: Uint8Array[] = []
    for await (const chunk of reply.body) {
      take(chunk.length)
      chunks.push(chunk)
    }
    const bytes = Buffer.concat(chunks)
    return {
      base64: bytes.toString('base64'),
      head: bytes.subarray(0, SNIFFED_BYTES),
      claimed: toEssence(reply.headers['content-type']),
    }
  } catch (error) {
    if (SvcError.is(error) && error.code === 'fetch_too_large') throw mediaTooLarge(attachment, maxBytes)
    throw toMediaFailure(error, attachment)
  }
}

/** Detects the type of a medium. Its claimed type and its place in the request must not contradict it. */
function checkType(attachment: Attachment, { head, claimed }: Found): SniffedMedia {
  const { kind: place } = attachment
  if (head.length === 0) throw invalidMedia(attachment, 'is empty')
  const sniffed = sniffMedia(head)
  if (sniffed === undefined) {
    throw invalidMedia(
      attachment,
      `is not ${place === 'file' ? 'an image, audio or video' : place === 'image' ? 'an image' : place} of a known type`,
    )
  }
  const claim = toKind(claimed)
  const kinds = sniffed.kinds.filter((kind) => place === 'file' || kind === place)
  if (kinds.length === 0) throw invalidMedia(attachment, `is ${sniffed.mediaType}, not ${place}`)
  if (claim !== undefined && !sniffed.kinds.some((kind) => kind === claim)) {
    throw invalidMedia(attachment, `is ${sniffed.mediaType}, not what its media type says`)
  }
  const [likeliest] = kinds.filter((kind) => kind === claim)
  return { ...sniffed, kinds: likeliest === undefined ? kinds : [likeliest] }
}

/**
 * Gives the first half of a claimed media type. Servers send `application/octet-stream` for anything, so that one
 * claims nothing.
 */
function toKind(mediaType: string | undefined): string | undefined {
  const [first] = mediaType?.split('/') ?? []
  return first === 'application' || first === 'binary' ? undefined : first
}
