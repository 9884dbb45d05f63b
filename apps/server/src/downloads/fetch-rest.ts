import { MAX_REDIRECTS, type OutboundClient } from '../outbound/client.ts'
import type { OutboundResponse } from '../outbound/response.ts'
import { compareVersions, readContentRange, readUnsatisfiedTotal, readVersion, toValidator } from './content-version.ts'
import { cutShort, originRefused, wrongContent } from './download-failures.ts'
import type { DownloadSource } from './download-source.ts'
import type { PartialFacts, PartialFile } from './partial-file.ts'
import { type FetchOutcome, receiveParts } from './receive-parts.ts'

/** One attempt to fetch the missing bytes of a file. */
export interface FetchRestOptions {
  readonly partial: PartialFile
  readonly source: DownloadSource
  readonly sha256?: string | undefined
  readonly sizeBytes?: number | undefined
  /** Name and place of the file, for messages. */
  readonly what: string
  readonly client: OutboundClient
  /** Longest silence of the origin. */
  readonly stallMs: number
  /** Parts of a large file that are fetched at a time; 1 for none. */
  readonly parts: number
  readonly partBytes: number
  /** @throws {SvcError} `insufficient_storage` */
  readonly checkRoom: (bytes: number) => Promise<void>
  readonly onProgress: (facts: { readonly currentBytes: number; readonly totalBytes?: number | undefined }) => void
  /** Called where the file comes to consist of pieces of several replies. */
  readonly onPieces: () => void
  readonly signal: AbortSignal
}

/** Bytes that are written at a time. A kill loses no more than these of one connection. */
const WRITE_BYTES = 256 * 1024
/** The longest that one attempt may take: the limit that counts is that of silence. */
const ATTEMPT_MS = 20 * 24 * 60 * 60 * 1000
const MAX_FILE_BYTES = 8 * 1024 ** 4

/**
 * Fetches the missing rest of a file, or all of it where the origin has another content by now or serves no ranges. A
 * large rest comes in parts over several connections, where the origin allows that.
 *
 * @throws {SvcError} of the outbound client; `download_refused`, `download_corrupt`, `download_cut`, `disk_full`,
 *   `file_failed`
 */
export async function fetchRest(options: FetchRestOptions): Promise<void> {
  const { partial, what, onPieces } = options
  if (!mayContinue(partial.facts, options)) await partial.restart(toFacts(options))
  if (partial.offset > 0) onPieces()
  let outcome = await attempt(options)
  // The bytes that have come in order stay.
  if (outcome === 'refused') outcome = await attempt({ ...options, parts: 1 })
  if (outcome === 'done') return
  await partial.restart(toFacts(options))
  if ((await attempt({ ...options, parts: 1 })) !== 'done') {
    throw wrongContent(what, 'the origin answers with another part')
  }
}

async function attempt(options: FetchRestOptions): Promise<FetchOutcome> {
  const { partial, what, parts, partBytes, sizeBytes } = options
  const { offset, facts } = partial
  await using reply = await askFor(options, offset === 0 ? undefined : `bytes=${offset}-`)
  if (reply.status === 416 && offset > 0) return isWhole(reply, options) ? 'done' : 'changed'
  if (reply.status !== 200 && reply.status !== 206) throw originRefused(what, reply.status)
  const range = reply.status === 206 ? readContentRange(reply) : undefined
  if (reply.status === 206 && !isContinuation(range, offset)) return 'changed'
  const totalBytes = range?.totalBytes ?? readLength(reply)
  checkReply(reply, { ...options, totalBytes })
  if (range === undefined) await partial.restart({ ...toFacts(options), ...readVersion(reply, totalBytes) })
  else if (!isOfSameContent(reply, facts, options, totalBytes)) return 'changed'
  await options.checkRoom((totalBytes ?? sizeBytes ?? partial.offset) - partial.offset)
  if (totalBytes !== undefined && mayPart(reply, totalBytes - partial.offset, { parts, partBytes })) {
    options.onPieces()
    return await receiveParts(reply, {
      ...options,
      totalBytes,
      ask: (wanted, { signal }) => askFor({ ...options, signal }, wanted),
      isSame: (part) => isOfSameContent(part, partial.facts, options, totalBytes),
    })
  }
  await receive(reply, { ...options, totalBytes })
  return 'done'
}

/** Whether a part begins where it should and goes to the end. */
function isContinuation(range: ReturnType<typeof readContentRange>, offset: number): boolean {
  return range !== undefined && offset > 0 && range.first === offset && range.last === range.totalBytes - 1
}

/** Whether nothing is missing: the origin says that it has no byte after the received ones. */
function isWhole(reply: OutboundResponse, options: FetchRestOptions): boolean {
  const { offset, facts } = options.partial
  if (readUnsatisfiedTotal(reply) !== offset) return false
  return options.sha256 !== undefined || facts?.sizeBytes === offset
}

/**
 * Whether a part is of the content that the file was begun with. Where neither says so, a known hash decides in the end;
 * without one, nothing would notice a mixture.
 */
function isOfSameContent(
  reply: OutboundResponse,
  facts: PartialFacts | undefined,
  { source, sha256 }: Pick<FetchRestOptions, 'source' | 'sha256'>,
  totalBytes: number | undefined,
): boolean {
  if (facts === undefined) return false
  // Another address of the same content has tags and times of its own.
  const known = facts.url === source.url ? facts : { sizeBytes: facts.sizeBytes }
  const comparison = compareVersions(known, readVersion(reply, totalBytes))
  return comparison === 'same' || (comparison === 'unknown' && sha256 !== undefined)
}

function askFor(
  { source, partial, client, stallMs, signal }: FetchRestOptions,
  range: string | undefined,
): Promise<OutboundResponse> {
  const { facts } = partial
  const validator = facts?.url === source.url ? toValidator(facts) : undefined
  return client.fetch(source.url, {
    signal,
    trust: source.trust,
    maxBytes: MAX_FILE_BYTES,
    timeoutMs: ATTEMPT_MS,
    idleTimeoutMs: stallMs,
    redirects: MAX_REDIRECTS,
    decode: false,
    ...(source.credentials === undefined ? {} : { credentials: source.credentials }),
    headers: range === undefined ? {} : { range, 'if-range': validator },
  })
}

/**
 * Whether the bytes that are there may be continued: the same hash must come out in the end, or the origin can tell that
 * its content is still the same.
 */
function mayContinue(facts: PartialFacts | undefined, { source, sha256 }: FetchRestOptions): boolean {
  if (facts === undefined) return false
  if (sha256 !== undefined || facts.sha256 !== undefined) return facts.sha256 === sha256
  return facts.url === source.url && toValidator(facts) !== undefined
}

function toFacts({ source, sha256, sizeBytes }: FetchRestOptions): PartialFacts {
  return { url: source.url, sha256, sizeBytes }
}

/** Whether a rest is large enough for parts, and the origin serves them. */
function mayPart(
  reply: OutboundResponse,
  missingBytes: number,
  { parts, partBytes }: Pick<FetchRestOptions, 'parts' | 'partBytes'>,
): boolean {
  const servesRanges = reply.status === 206 || /\bbytes\b/i.test(reply.headers['accept-ranges'] ?? '')
  return parts > 1 && servesRanges && missingBytes >= 4 * partBytes
}

/** @throws {SvcError} `download_corrupt` for bytes that are not the file */
function checkReply(
  reply: OutboundResponse,
  { what, source, sizeBytes, totalBytes }: FetchRestOptions & { readonly totalBytes: number | undefined },
): void {
  const { 'content-type': type = '', 'content-encoding': coding = 'identity' } = reply.headers
  if (coding !== 'identity') throw wrongContent(what, `the origin encodes it as ${coding}`)
  if (/^text\/html\b/i.test(type) && !/\.html?$/i.test(source.url.split(/[?#]/, 1)[0] ?? '')) {
    throw wrongContent(what, 'the origin answers with a page and not with the file')
  }
  if (sizeBytes !== undefined && totalBytes !== undefined && totalBytes !== sizeBytes) {
    throw wrongContent(what, `it has ${totalBytes} bytes at the origin, and should have ${sizeBytes}`)
  }
}

function readLength({ headers }: OutboundResponse): number | undefined {
  const text = headers['content-length']
  return text === undefined ? undefined : Number(text)
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
  if (limit !== undefined && partial.offset < limit) throw cutShort(what, partial.offset, limit)
}
