import { SvcError } from '@svc/errors'
import type { OutboundClient } from '../outbound/client.ts'
import type { OutboundResponse } from '../outbound/response.ts'
import { originRefused, wrongContent } from './download-failures.ts'
import { type DownloadSource, describeSource } from './download-source.ts'
import type { PartialFacts, PartialFile } from './partial-file.ts'

/** One attempt to fetch what is missing of a file. */
export interface FetchRestOptions {
  readonly partial: PartialFile
  readonly source: DownloadSource
  readonly sha256?: string | undefined
  readonly sizeBytes?: number | undefined
  /** For messages: the name of the file. */
  readonly what: string
  readonly client: OutboundClient
  /** Longest silence of the origin. */
  readonly stallMs: number
  /** @throws {SvcError} `insufficient_storage` */
  readonly checkRoom: (bytes: number) => Promise<void>
  readonly onProgress: (facts: { readonly currentBytes: number; readonly totalBytes?: number | undefined }) => void
  readonly signal: AbortSignal
}

/** Bytes that are written at a time. A kill loses no more than these. */
const WRITE_BYTES = 256 * 1024
/** The longest that one attempt may take: the limit that counts is that of silence. */
const ATTEMPT_MS = 20 * 24 * 60 * 60 * 1000
const MAX_FILE_BYTES = 8 * 1024 ** 4

/**
 * Fetches the missing rest of a file, or all of it where the origin has another content by now or serves no ranges.
 *
 * @throws {SvcError} of the outbound client; `download_refused`, `download_corrupt`, `download_cut`, `disk_full`,
 *   `file_failed`
 */
export async function fetchRest(options: FetchRestOptions): Promise<void> {
  const { partial, source, what } = options
  if (!isOfSameContent(partial.facts, options)) await partial.restart(toFacts(options))
  const isResumed = partial.offset > 0
  await using reply = await ask(options, isResumed ? partial.offset : 0)
  if (reply.status === 416 && isResumed) {
    if (readRangeTotal(reply) === partial.offset) return
    return startOver(options)
  }
  if (reply.status !== 200 && reply.status !== 206)
    throw originRefused(`${what} of ${describeSource(source)}`, reply.status)
  const totalBytes = checkReply(reply, options)
  if (reply.status === 206) {
    if (!isResumed || totalBytes === undefined) throw wrongContent(what, 'the origin answers with another part')
    if (partial.facts?.sizeBytes !== undefined && partial.facts.sizeBytes !== totalBytes) return startOver(options)
  } else await partial.restart({ ...toFacts(options), validator: readValidator(reply), sizeBytes: totalBytes })
  await options.checkRoom((totalBytes ?? options.sizeBytes ?? partial.offset) - partial.offset)
  await receive(reply, { ...options, totalBytes })
}

async function startOver(options: FetchRestOptions): Promise<void> {
  await options.partial.restart(toFacts(options))
  return fetchRest(options)
}

function ask(
  { source, partial, client, stallMs, signal }: FetchRestOptions,
  offset: number,
): Promise<OutboundResponse> {
  const isSameOrigin = partial.facts?.url === source.url
  return client.fetch(source.url, {
    signal,
    trust: source.trust,
    maxBytes: MAX_FILE_BYTES,
    timeoutMs: ATTEMPT_MS,
    idleTimeoutMs: stallMs,
    redirects: 3,
    decode: false,
    ...(source.credentials === undefined ? {} : { credentials: source.credentials }),
    headers:
      offset === 0
        ? {}
        : { range: `bytes=${offset}-`, 'if-range': isSameOrigin ? partial.facts?.validator : undefined },
  })
}

/**
 * Whether the bytes that are there may be continued: the same hash must come out in the end, or the origin can tell that
 * its content is still the same.
 */
function isOfSameContent(facts: PartialFacts | undefined, { source, sha256 }: FetchRestOptions): boolean {
  if (facts === undefined) return false
  if (sha256 !== undefined || facts.sha256 !== undefined) return facts.sha256 === sha256
  return facts.url === source.url && facts.validator !== undefined
}

function toFacts({ source, sha256, sizeBytes }: FetchRestOptions): PartialFacts {
  return { url: source.url, sha256, sizeBytes }
}

/** The size of the whole content, where the reply tells it. @throws {SvcError} `download_corrupt` */
function checkReply(reply: OutboundResponse, { what, partial, sizeBytes }: FetchRestOptions): number | undefined {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = reply.headers
  if (coding !== 'identity') throw wrongContent(what, `the origin encodes it as ${coding}`)
  if (/^text\/html\b/i.test(type) && !/\.html?$/i.test(what)) {
    throw wrongContent(what, 'the origin answers with a page and not with the file')
  }
  const totalBytes = reply.status === 206 ? readRangeTotal(reply, partial.offset) : readLength(reply)
  if (sizeBytes !== undefined && totalBytes !== undefined && totalBytes !== sizeBytes) {
    throw wrongContent(what, `it has ${totalBytes} bytes at the origin, and should have ${sizeBytes}`)
  }
  return totalBytes
}

function readLength({ headers }: OutboundResponse): number | undefined {
  const text = headers['content-length']
  return text === undefined ? undefined : Number(text)
}

/** The whole size in `Content-Range`; undefined where the part does not begin where it should. */
function readRangeTotal({ headers }: OutboundResponse, start?: number): number | undefined {
  const match = /^bytes (?:(\d+)-(\d+)|\*)\/(\d+)$/.exec(headers['content-range'] ?? '')
  if (match === null) return undefined
  const [, from, to, total] = match
  if (start !== undefined && (Number(from) !== start || Number(to) !== Number(total) - 1)) return undefined
  return Number(total)
}

function readValidator({ headers }: OutboundResponse): string | undefined {
  const { etag, 'last-modified': lastModified } = headers
  return etag !== undefined && !etag.startsWith('W/') ? etag : lastModified
}

async function receive(
  reply: OutboundResponse,
  { partial, what, sizeBytes, totalBytes, onProgress }: FetchRestOptions & { readonly totalBytes: number | undefined },
): Promise<void> {
  const limit = totalBytes ?? sizeBytes
  let pieces: Uint8Array[] = []
  let pending = 0
  const flush = async (): Promise<void> => {
    const batch = pieces
    pieces = []
    pending = 0
    await partial.append(batch)
    onProgress({ currentBytes: partial.offset, totalBytes: limit })
  }
  try {
    for await (const piece of reply.body) {
      pieces.push(piece)
      pending += piece.length
      if (limit !== undefined && partial.offset + pending > limit)
        throw wrongContent(what, 'it is longer than it should be')
      if (pending >= WRITE_BYTES) await flush()
    }
  } finally {
    // Bytes that have come are kept, whatever ended the reply.
    if (pending > 0 && (limit === undefined || partial.offset + pending <= limit)) await flush()
  }
  if (limit !== undefined && partial.offset < limit) {
    throw new SvcError('upstream_failed', `${what}: the origin ended after ${partial.offset} of ${limit} bytes`, {
      code: 'download_cut',
    })
  }
}
