import { createHash } from 'node:crypto'
import type { HttpReply } from './http-reply.ts'
import type { ServerReply, ServerRequest } from './messages.ts'
import type { RouteInfo } from './route-info.ts'

const TAG_LENGTH = 22

/** Whether pages ask for the reply of a call again and again. */
export function isPolled({
  route,
  incoming,
}: {
  readonly route: RouteInfo
  readonly incoming: { readonly method?: string | undefined }
}): boolean {
  if (route.quiet !== true || route.access === 'none') return false
  return incoming.method === 'GET' || incoming.method === 'HEAD'
}

/**
 * Sets the entity tag of a reply, with its further headers. The tag is weak: the body may be sent compressed.
 *
 * @returns whether the client has this body already
 */
export function isUnchanged(
  { incoming, outgoing }: { readonly incoming: ServerRequest; readonly outgoing: ServerReply },
  { body, headers }: HttpReply,
): boolean {
  const tag = createHash('sha256').update(body).digest('base64url').slice(0, TAG_LENGTH)
  for (const [name, value] of Object.entries(headers)) if (name !== 'content-type') outgoing.setHeader(name, value)
  outgoing.setHeader('ETag', `W/"${tag}"`)
  return listTags(incoming.headers['if-none-match']).some((one) => one === '*' || one === `"${tag}"`)
}

const listTags = (header: string | undefined): string[] =>
  header?.split(',').map((one) => one.trim().replace(/^W\//, '')) ?? []
