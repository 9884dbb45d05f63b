import createClient, { type FetchResponse } from 'openapi-fetch'
import { ApiError, readFailure } from './api-error.ts'
import { root } from './base-path.ts'
import { reportReply, reportSilence, untilAway } from './connection.ts'
import type { paths } from './schema.gen.ts'

/**
 * Sends a request to the server and reports the outcome to the connection state.
 *
 * @throws ApiError with status 0 when there is no reply; the reason of an abort is passed on
 */
export async function send(input: RequestInfo | URL, init?: RequestInit): Promise<Response> {
  try {
    const response = await fetch(input, init)
    reportReply()
    return response
  } catch (cause) {
    const signal = init?.signal ?? (input instanceof Request ? input.signal : undefined)
    if (signal?.aborted === true) throw cause
    reportSilence()
    throw new ApiError('The server does not answer.', { cause })
  }
}

/** Sends a request of the client. A question ends when the server is found to be away, and is asked again by its page. */
function ask(request: Request): Promise<Response> {
  if (request.method !== 'GET') return send(request)
  return send(request, { signal: AbortSignal.any([request.signal, untilAway()]) })
}

/** The server's routes, typed by its own OpenAPI document. Wrap a call in {@link unwrap}. `lib/changes.ts` has a row for each call that is not a GET. */
export const api = createClient<paths>({ baseUrl: root.href.replace(/\/$/, ''), fetch: ask })

/** The body of a reply. @throws ApiError for any status that is not a success */
export async function unwrap<
  Operation extends Record<string | number, unknown>,
  Init,
  Media extends `${string}/${string}`,
>(
  reply: Promise<FetchResponse<Operation, Init, Media>>,
): Promise<NonNullable<FetchResponse<Operation, Init, Media>['data']>> {
  const { data, error, response } = await reply
  if (!response.ok) throw readFailure(response, error)
  return data as NonNullable<typeof data>
}
