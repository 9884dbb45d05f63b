import { SvcError } from '@svc/errors'
import type { Upstream, UpstreamReply, UpstreamRequest } from '@svc/http-client'

const MAX_REPLY_BYTES = 64 * 1024

/** The file server of a worker. */
export interface FileServer {
  /** `host:port` */
  readonly address: string
  readonly token: string
  readonly client: Pick<Upstream, 'send'>
}

/** A call of a file server. */
export interface FileCall extends Pick<UpstreamRequest, 'method' | 'body' | 'timeoutMs'> {
  /** The file, such as `models/<model>#0/sub/file.gguf`. */
  readonly key: string
  /** Headers beside the bearer. @default none */
  readonly headers?: readonly (readonly [string, string])[] | undefined
}

/** Sends a call. @throws as {@link Upstream.send} */
export function callFileServer(
  { address, token, client }: FileServer,
  { key, headers = [], ...call }: FileCall,
  signal: AbortSignal,
): Promise<UpstreamReply> {
  const url = new URL(`http://${address}/v1/files/${key.split('/').map(encodeURIComponent).join('/')}`)
  return client.send({ ...call, url, headers: [['authorization', `Bearer ${token}`], ...headers] }, { signal })
}

/** Reads the text of a reply. @throws {SvcError} `upstream_failed` for one of more than 64 KiB */
export async function readReplyText({ body }: UpstreamReply): Promise<string> {
  const parts: Uint8Array[] = []
  let size = 0
  for await (const part of body) {
    size += part.length
    if (size > MAX_REPLY_BYTES) throw new SvcError('upstream_failed', 'the reply of the worker is too long')
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** The path at the worker that a reply tells; undefined where it tells none. */
export function readLocalPath(text: string): string | undefined {
  try {
    const reply: unknown = JSON.parse(text)
    return typeof reply === 'object' && reply !== null && 'local_path' in reply && typeof reply.local_path === 'string'
      ? reply.local_path
      : undefined
  } catch {
    return undefined
  }
}

/** A header of a reply by its name in lower case. */
export function readHeader({ headers }: UpstreamReply, name: string): string | undefined {
  return headers.find(([each]) => each === name)?.[1]
}

/** The path at the worker that the headers of a reply tell. They come as bytes: those of UTF-8. */
export function readLocalPathHeader(reply: UpstreamReply): string | undefined {
  const path = readHeader(reply, 'x-local-path')
  return path === undefined ? undefined : Buffer.from(path, 'latin1').toString('utf8')
}
