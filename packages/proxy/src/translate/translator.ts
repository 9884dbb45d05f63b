import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, CompletionUsage } from '@svc/wire/openai'
import { checkProvider } from '../check-provider.ts'
import type { Provider } from '../ports.ts'
import { readSseEvents } from '../sse-events.ts'
import { addCacheBreakpoints } from './cache-breakpoints.ts'
import { chatToCompatible } from './chat-to-compatible.ts'
import { chatToMessages } from './chat-to-messages.ts'
import { readCompatibleReply } from './compatible-reply.ts'
import { createCompatibleStream } from './compatible-stream.ts'
import { encodeExactJson } from './exact-json.ts'
import { readMessagesReply } from './messages-reply.ts'
import { createMessagesStream } from './messages-stream.ts'
import { cutOff, unreadable } from './reply-errors.ts'
import type { ReaderOptions, TranslateMode } from './reply-reader.ts'
import { toTextOnly } from './text-only.ts'

/** How to translate (§6.5). */
export interface TranslatorOptions {
  /** The wire format of the upstream. */
  readonly provider: Provider
  /** `text` carries pure text; `full` also tools, media and thoughts. @default 'text' */
  readonly mode?: TranslateMode | undefined
  /** The model to ask the upstream for. */
  readonly model: string
  /** Marks what of the prompt the upstream may keep; means nothing to `provider_a`. @default false */
  readonly cachePrompt?: boolean | undefined
  /** Wall time, milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined
}

/** Between the chat format and the format of an upstream. Pure: it sends nothing. */
export interface Translator {
  readonly provider: Provider
  readonly mode: TranslateMode
  /**
   * The body of the upstream's request.
   *
   * @throws {SvcError} `invalid_request` for what cannot be said upstream; code `text_only` when the last turn of the user
   *   holds nothing but media and `mode` is `text`
   */
  request(chat: ChatCompletionRequest): Uint8Array
  /**
   * An upstream's whole reply. Its `usage` holds the upstream's own figures, absent where it gave none; in mode `text`
   * they are for the usage row and not for the client.
   *
   * @throws {SvcError} `upstream_failed`: `upstream_refusal`, `upstream_error`, `upstream_unreadable`
   */
  reply(body: Uint8Array): ChatCompletion
  /**
   * An upstream's stream, however its bytes are cut: the role, then deltas of one lane each, the reason of the end, and the
   * usage last where there is one. Ending the iteration early ends that of the bytes.
   *
   * @param options.onUsage takes the upstream's figures whenever it gives some, so that a stream that fails or is left
   *   early is billed too
   * @throws {SvcError} `upstream_failed`: `upstream_refusal`, `upstream_error`, `upstream_cut`; whatever the bytes throw
   */
  events(
    body: AsyncIterable<Uint8Array>,
    options?: { readonly onUsage?: ((usage: CompletionUsage) => void) | undefined },
  ): AsyncGenerator<ChatCompletionChunk, void, undefined>
}

/**
 * A translator for the upstream of one model.
 *
 * @example
 * const translator = createTranslator({ provider: 'provider_b', model: 'large-1' })
 * const body = translator.request({ messages: [{ role: 'user', content: 'Hello' }], stream: true })
 */
export function createTranslator(options: TranslatorOptions): Translator {
  const { provider, mode = 'text', model, cachePrompt = false, now = Date.now } = options
  checkProvider(provider, 'createTranslator')
  const reading: ReaderOptions = { mode, now }
  const isMessages = provider === 'provider_b'
  const build = (chat: ChatCompletionRequest): unknown => {
    if (!isMessages) return chatToCompatible(chat, model)
    const request = chatToMessages(chat, model)
    return cachePrompt ? addCacheBreakpoints(request) : request
  }
  return {
    provider,
    mode,
    request: (chat) => encodeExactJson(build(mode === 'text' ? toTextOnly(chat) : chat)),
    reply: (body) => (isMessages ? readMessagesReply : readCompatibleReply)(body, reading),
    async *events(body, { onUsage } = {}) {
      const options = { ...reading, onUsage }
      const reader = isMessages ? createMessagesStream(options) : createCompatibleStream(options)
      for await (const { data } of readSseEvents(body, unreadable)) {
        yield* reader.push(data)
        if (reader.hasEnded) return
      }
      const rest = reader.end()
      if (rest === undefined) throw cutOff()
      yield* rest
    },
  }
}
