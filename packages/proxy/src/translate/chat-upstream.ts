import type { Header, Upstream, UpstreamReply } from '@svc/http-client'
import type { MessagesRequest } from '@svc/wire/messages'
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, CompletionUsage } from '@svc/wire/openai'
import { type ClientHeader, createHopHeaders, selectFeatureHeader } from '../headers.ts'
import { redactError } from '../redact-error.ts'
import { brokenUpstream, findHeader, readStatusError, readWhole } from '../upstream-error.ts'
import { completionToChunks } from './completion-chunks.ts'
import type { Translator } from './translator.ts'

/** The largest whole reply, in bytes. */
const MAX_REPLY_BYTES = 64 * 1024 * 1024

/** The version of the messages format for headers that name none. */
const MESSAGES_VERSION: Header = ['anthropic-version', '2023-06-01']

/** A model behind a translation, and the way to reach it. */
export interface ChatUpstreamOptions {
  readonly upstream: Pick<Upstream, 'send'>
  readonly translator: Translator
  /** The whole address of the endpoint, used as it is. */
  readonly url: URL
  /** The credential and the other headers of every request, names in lower case; never a client's own headers. */
  readonly headers?: readonly Header[] | undefined
  /** Milliseconds for each request that does not stream. @default no limit */
  readonly requestTimeoutMs?: number | undefined
}

/** Options of a call. */
export interface ChatCall {
  readonly signal: AbortSignal
  /** The headers of the client behind the call: its hop count and trace are passed on. */
  readonly client?: ClientHeader | undefined
  /** The request as its client wrote it, if that was in the messages format; see {@link Translator.request}. */
  readonly source?: MessagesRequest | undefined
  /**
   * Receives the upstream's figures whenever a stream has some, so that a failed or abandoned stream is billed too. A
   * whole reply carries its usage.
   */
  readonly onUsage?: ((usage: CompletionUsage) => void) | undefined
}

/** A model behind an upstream, called in the chat format. It retries nothing; no error contains the key. */
export interface ChatUpstream {
  /**
   * Requests a whole reply.
   *
   * @throws {UpstreamStatusError} with the upstream's own error @throws {SvcError} the errors of {@link
   *   Translator.request} and {@link Translator.reply}; `upstream_failed` without a reply, `timeout` past the limit,
   *   `cancelled` by the signal, `loop` after too many servers
   */
  complete(chat: ChatCompletionRequest, call: ChatCall): Promise<ChatCompletion>
  /**
   * Requests a stream. Sends nothing before the first pull; ending the iteration early ends the request.
   *
   * @throws the same as {@link ChatUpstream.complete}, on the first pull while nothing has arrived
   */
  stream(chat: ChatCompletionRequest, call: ChatCall): AsyncGenerator<ChatCompletionChunk, void, undefined>
}

/** Creates the chat interface of an upstream's model, for either wire format. */
export function createChatUpstream(options: ChatUpstreamOptions): ChatUpstream {
  const { upstream, translator, url, requestTimeoutMs } = options
  const headers = completeHeaders(options)
  const secrets = listSecrets(headers)

  const send = async (chat: ChatCompletionRequest, { signal, client, source }: ChatCall): Promise<UpstreamReply> => {
    const streams = chat.stream === true
    const reply = await upstream.send(
      {
        method: 'POST',
        url,
        headers: [
          ...headers,
          ...createHopHeaders(client),
          ...(translator.provider === 'provider_b' && source !== undefined ? selectFeatureHeader(client) : []),
          ['accept', streams ? 'text/event-stream' : 'application/json'],
        ],
        body: translator.request(chat, source),
        ...(streams ? {} : { timeoutMs: requestTimeoutMs }),
      },
      { signal },
    )
    if (reply.status >= 200 && reply.status < 300) return reply
    if (reply.status >= 400) throw await readStatusError(reply)
    throw brokenUpstream(`the upstream answered with status ${reply.status}, which is not followed`, {
      code: 'upstream_redirect',
    })
  }

  return {
    async complete(chat, call) {
      try {
        const { body } = await send({ ...chat, stream: false }, call)
        return translator.reply(await readWhole(body, MAX_REPLY_BYTES))
      } catch (error) {
        throw redactError(error, secrets)
      }
    },
    async *stream(chat, call) {
      try {
        const reply = await send({ ...chat, stream: true }, call)
        if (isJson(reply)) yield* completionToChunks(translator.reply(await readWhole(reply.body, MAX_REPLY_BYTES)))
        else yield* translator.events(reply.body, { onUsage: call.onUsage })
      } catch (error) {
        throw redactError(error, secrets)
      }
    },
  }
}

function completeHeaders({ translator, headers = [] }: ChatUpstreamOptions): Header[] {
  const needsVersion = translator.provider === 'provider_b' && findHeader(headers, 'anthropic-version') === undefined
  return [['content-type', 'application/json'], ...headers, ...(needsVersion ? [MESSAGES_VERSION] : [])]
}

/** The key as written in either header. */
function listSecrets(headers: readonly Header[]): string[] {
  const keys = [findHeader(headers, 'x-api-key'), findHeader(headers, 'authorization')?.replace(/^Bearer /, '')]
  return keys.filter((key): key is string => key !== undefined && key !== '')
}

/** Some upstreams ignore the request to stream. */
function isJson({ headers }: UpstreamReply): boolean {
  return /^application\/json\b/i.test(findHeader(headers, 'content-type') ?? '')
}
