import { createParser } from 'eventsource-parser'
import { send } from '../api-client.ts'
import { readFailure } from '../api-error.ts'
import { toUrl } from '../base-path.ts'
import { readServerFaults } from './read-warnings.ts'

/** A stream of the server whose head has arrived. */
export interface OpenedStream {
  /** The model that serves, where the reply names it. */
  readonly servedModel: string | undefined
  /** Joins the stream with its trace. */
  readonly correlationId: string | undefined
  /** Servers of tools that failed before the stream began, each as a sentence. */
  readonly serverFaults: readonly string[]
  /** The frames as parsed JSON, several at a time, as they came over the network. */
  readonly frames: AsyncGenerator<readonly unknown[], void>
}

/** A stream that ended without its end mark: the connection was cut. */
export class CutStreamError extends Error {
  override readonly name = 'CutStreamError'
}

/**
 * Opens a stream of server-sent events.
 *
 * @param path of the server, such as `/v1/chat/completions`
 * @param body the body to post; without it the stream is fetched
 * @throws ApiError for a reply that is not a success, and without a reply
 */
export async function openStream(path: string, body: object | undefined, signal: AbortSignal): Promise<OpenedStream> {
  const response = await send(toUrl(path), {
    signal,
    headers: { accept: 'text/event-stream', ...(body !== undefined && { 'content-type': 'application/json' }) },
    ...(body !== undefined && { method: 'POST', body: JSON.stringify(body) }),
  })
  if (!response.ok || response.body === null) {
    throw readFailure(response, await response.json().catch(() => undefined))
  }
  const served = response.headers.get('served-model')
  return {
    servedModel: served === null ? undefined : decodeURI(served),
    correlationId: response.headers.get('x-correlation-id') ?? undefined,
    serverFaults: readServerFaults(response.headers.get('x-svc-warning')),
    frames: readFrames(response.body),
  }
}

/** @throws CutStreamError when the bytes end before `[DONE]` */
async function* readFrames(bytes: ReadableStream<Uint8Array>): AsyncGenerator<readonly unknown[], void> {
  let frames: unknown[] = []
  let isDone = false
  const parser = createParser({
    onEvent({ data }) {
      if (data === '[DONE]') isDone = true
      else frames.push(JSON.parse(data))
    },
  })
  const decoder = new TextDecoder()
  const reader = bytes.getReader()
  try {
    for (;;) {
      const { value, done } = await reader.read()
      if (done) break
      parser.feed(decoder.decode(value, { stream: true }))
      if (frames.length === 0) continue
      const ready = frames
      frames = []
      yield ready
    }
  } catch (cause) {
    if (cause instanceof TypeError) throw new CutStreamError('The connection was cut.', { cause })
    throw cause
  } finally {
    reader.cancel().catch(() => {})
  }
  if (!isDone) throw new CutStreamError('The connection was cut.')
}
