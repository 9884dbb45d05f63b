import { hash } from 'node:crypto'
import type { HttpReply } from './http-reply.ts'
import type { ServerReply, ServerRequest } from './messages.ts'
import type { RouteInfo } from './route-info.ts'

const TAG_LENGTH = 22
/** A longer body has no tag: its checksum would hold up other requests. */
const MAX_TAGGED_BYTES = 1024 * 1024

/** Whether browsers keep the reply of a call, and ask whether it has changed. */
export function isRevalidated({
  route,
  incoming,
}: {
  readonly route: RouteInfo
  readonly incoming: { readonly method?: string | undefined }
}): boolean {
  if (route.revalidated !== true) return false
  return incoming.method === 'GET' || incoming.method === 'HEAD'
}

/**
 * Sets the entity tag of a reply, and its further headers where the client has it already.
 *
 * @returns whether the client has this body already
 */
export function isUnchanged(
  { incoming, outgoing }: { readonly incoming: ServerRequest; readonly outgoing: ServerReply },
  { body, headers }: HttpReply,
): boolean {
  if (body.length > MAX_TAGGED_BYTES) return false
  const etag = toEntityTag(computeTag(body))
  outgoing.setHeader('ETag', etag)
  const isKnown = hasCopy(incoming.headers['if-none-match'], etag)
  if (isKnown)
    for (const [name, value] of Object.entries(headers)) if (name !== 'content-type') outgoing.setHeader(name, value)
  return isKnown
}

/** The checksum of a content, for its entity tag. */
export function computeTag(content: Uint8Array | string): string {
  return hash('sha256', content, 'base64url').slice(0, TAG_LENGTH)
}

/** The weak entity tag of a checksum: the body may be sent compressed. */
export function toEntityTag(tag: string): string {
  return `W/"${tag}"`
}

/** Whether a client has a copy with this tag (`If-None-Match`, compared weakly). */
export function hasCopy(header: string | undefined, etag: string): boolean {
  const strip = (tag: string): string => tag.trim().replace(/^W\//, '')
  return header?.split(',').some((tag) => tag.trim() === '*' || strip(tag) === strip(etag)) ?? false
}

/**
 * Tells clients whether they may keep a reply of a route, as a header line; empty where the handler says it. Answers of
 * models are streams, or replies to a POST, which nobody keeps.
 */
export function toCacheControl({ access, group, revalidated, usecase }: RouteInfo): string {
  if (revalidated === true) return 'Cache-Control: private, no-cache\r\n'
  const isPublic = access === 'none' && group !== 'account'
  return isPublic || usecase !== undefined ? '' : 'Cache-Control: no-store\r\n'
}
