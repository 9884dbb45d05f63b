import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from 'node:http'
import { type HttpServer, startHttpServer } from './http-server.ts'

/** Fault of an origin in one request for a file. */
export interface OriginFault {
  /** Ends the connection after so many bytes of content. */
  readonly cutAfter?: number | undefined
  /** Sends nothing more after so many bytes of content, and leaves the connection open. */
  readonly stallAfter?: number | undefined
  /** Answers with this status and a short text. */
  readonly status?: number | undefined
  /** Answers with a page. */
  readonly page?: true | undefined
  /** Announces another length than the content has. */
  readonly length?: number | undefined
  /** `Content-Range` of a part. */
  readonly contentRange?: string | undefined
}

/** A file at an origin. */
export interface OriginFile {
  content: Uint8Array
  /** @default a strong tag of the content; null for none */
  etag?: string | null | undefined
  /** Sent as `Last-Modified`. */
  lastModified?: string | undefined
  /** The place in the content at which the next reply that reaches it ends, or falls silent. Set anew for each use. */
  stop?: { readonly at: number; readonly how: 'cut' | 'stall' } | undefined
}

/** A request that an origin has seen. */
export interface OriginRequest {
  readonly method: string
  readonly path: string
  readonly headers: IncomingHttpHeaders
}

/** An HTTP server of files that counts its replies, and that can fail. */
export interface FileOrigin extends AsyncDisposable {
  readonly origin: string
  readonly files: Map<string, OriginFile>
  readonly requests: readonly OriginRequest[]
  /** Bytes of content that were handed to sockets. */
  readonly sentBytes: number
  /** Faults of the next requests with GET, in their order. */
  readonly faults: OriginFault[]
  close(): Promise<void>
}

/** Options of {@link startFileOrigin}. */
export interface FileOriginOptions {
  readonly files: Readonly<Record<string, Uint8Array>>
  /** @default true */
  readonly hasRanges?: boolean | undefined
  /** @default true */
  readonly hasEtags?: boolean | undefined
  /** Whether a part is sent only where `If-Range` holds. @default true */
  readonly hasConditions?: boolean | undefined
  /** Answers a request itself and returns true, or leaves it to the files. */
  readonly handle?: ((request: IncomingMessage, response: ServerResponse) => boolean) | undefined
}

const PIECE = 64 * 1024

/** Starts an origin on a free port of the loopback interface. Paths are the URL's paths, decoded. */
export async function startFileOrigin(options: FileOriginOptions): Promise<FileOrigin> {
  const { hasRanges = true, hasEtags = true, hasConditions = true } = options
  const files = new Map<string, OriginFile>(Object.entries(options.files).map(([path, content]) => [path, { content }]))
  const requests: OriginRequest[] = []
  const faults: OriginFault[] = []
  let sentBytes = 0

  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const path = decodeURIComponent(new URL(request.url ?? '/', 'http://origin').pathname)
    requests.push({ method: request.method ?? '', path, headers: request.headers })
    if (options.handle?.(request, response) === true) return
    const file = files.get(path)
    if (file === undefined) return void response.writeHead(404).end('not here')
    const fault = request.method === 'GET' ? (faults.shift() ?? {}) : {}
    if (fault.status !== undefined) return void response.writeHead(fault.status).end('a fault')
    if (fault.page === true) {
      return void response.writeHead(200, { 'content-type': 'text/html' }).end('<html>please sign in</html>')
    }
    const etag = hasEtags ? (file.etag === undefined ? makeTag(file.content) : (file.etag ?? undefined)) : undefined
    const { lastModified, content } = file
    const validators = hasConditions ? [etag, lastModified] : undefined
    const range = hasRanges ? readRange(request, { validators, size: content.length }) : undefined
    if (range === 'unsatisfiable') {
      return void response.writeHead(416, { 'content-range': `bytes */${content.length}` }).end()
    }
    const { start, end } = range ?? { start: 0, end: content.length }
    const part = content.subarray(start, end)
    response.writeHead(range === undefined ? 200 : 206, {
      'content-type': 'application/octet-stream',
      'content-length': fault.length ?? part.length,
      ...(etag === undefined ? {} : { etag }),
      ...(lastModified === undefined ? {} : { 'last-modified': lastModified }),
      ...(hasRanges ? { 'accept-ranges': 'bytes' } : {}),
      ...(range === undefined
        ? {}
        : { 'content-range': fault.contentRange ?? `bytes ${start}-${end - 1}/${content.length}` }),
    })
    if (request.method === 'HEAD') return void response.end()
    const { stop } = file
    const reaches = stop !== undefined && start < stop.at && stop.at <= end
    if (reaches) file.stop = undefined
    const ending = reaches ? { [`${stop.how}After`]: stop.at - start } : {}
    await send(part, response, { ...fault, ...ending }, (count) => {
      sentBytes += count
    })
  }

  const server: HttpServer = await startHttpServer((request, response) => {
    answer(request, response).catch(() => response.destroy())
  })
  return {
    origin: server.origin,
    files,
    requests,
    faults,
    get sentBytes() {
      return sentBytes
    },
    close: server.close,
    [Symbol.asyncDispose]: server.close,
  }
}

async function send(
  content: Uint8Array,
  response: ServerResponse,
  { cutAfter, stallAfter }: OriginFault,
  count: (bytes: number) => void,
): Promise<void> {
  const end = Math.min(content.length, cutAfter ?? content.length, stallAfter ?? content.length)
  for (let position = 0; position < end && !response.destroyed; position += PIECE) {
    const piece = content.subarray(position, Math.min(end, position + PIECE))
    // Counted once the system has taken it: bytes that wait in this process are not sent.
    await new Promise<void>((resolve, reject) => {
      response.once('close', resolve)
      response.write(piece, (error) => {
        response.off('close', resolve)
        if (error) reject(error)
        else resolve()
      })
    })
    count(piece.length)
  }
  if (cutAfter !== undefined && cutAfter <= end) response.destroy()
  else if (stallAfter === undefined) response.end()
}

function makeTag(content: Uint8Array): string {
  return `"${createHash('sha1').update(content).digest('hex').slice(0, 16)}"`
}

/** The part that is asked for; undefined for everything. */
function readRange(
  request: IncomingMessage,
  { validators, size }: { readonly validators: readonly (string | undefined)[] | undefined; readonly size: number },
): { readonly start: number; readonly end: number } | 'unsatisfiable' | undefined {
  const [, first, last = ''] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? []
  if (first === undefined) return undefined
  const condition = request.headers['if-range']
  if (condition !== undefined && validators?.includes(String(condition)) === false) return undefined
  const start = Number(first)
  if (start >= size) return 'unsatisfiable'
  return { start, end: last === '' ? size : Math.min(size, Number(last) + 1) }
}
