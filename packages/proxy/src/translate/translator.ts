import type { MessagesRequest } from '@svc/wire/messages'
import type { ChatCompletion, ChatCompletionChunk, ChatCompletionRequest, CompletionUsage } from '@svc/wire/openai'
import { checkProvider } from '../check-provider.ts'
import type { Provider } from '../ports.ts'
import { readSseEvents } from '../sse-events.ts'
import { addCacheBreakpoints } from './cache-breakpoints.ts'
import { type CompatibleOptions, chatToCompatible } from './chat-to-compatible.ts'
import { chatToMessages } from './chat-to-messages.ts'
import { readCompatibleReply } from './compatible-reply.ts'
import { createCompatibleStream } from './compatible-stream.ts'
import { encodeExactJson } from './exact-json.ts'
import { readMessagesReply } from './messages-reply.ts'
import { createMessagesStream } from './messages-stream.ts'
import { isPlainConversation, messagesToMessages } from './messages-to-messages.ts'
import { cutOff, unreadable } from './reply-errors.ts'
import type { ReaderOptions, TranslateMode } from './reply-reader.ts'
import { toTextOnly } from './text-only.ts'

/** Options of {@link createTranslator} (§6.5). */
export interface TranslatorOptions extends CompatibleOptions {
  /** The wire format of the upstream. */
  readonly provider: Provider
  /** `text` carries text only; `full` also tools, media and thoughts. @default 'text' */
  readonly mode?: TranslateMode | undefined
  /** The model to ask the upstream for. */
  readonly model: string
  /** Marks the parts of the prompt that the upstream may keep; no effect for `provider_a`. @default false */
  readonly cachePrompt?: boolean | undefined
  /** Wall time, milliseconds since the epoch. @default Date.now */
  readonly now?: (() => number) | undefined
}

/** Translates between the chat format and the format of an upstream. Pure: it sends nothing. */
export interface Translator {
  readonly provider: Provider
  readonly mode: TranslateMode
  /**
   * Builds the body of the upstream's request.
   *
   * @param source the same request as its client wrote it, if that was in the messages format. In mode `full` its
   *   conversation reaches an upstream of that format as it came
   * @throws {SvcError} `invalid_request` for content that the upstream's format cannot express; code `text_only` when
   *   the user's last turn holds only media and `mode` is `text`
   */
  request(chat: ChatCompletionRequest, source?: MessagesRequest): Uint8Array
  /**
   * Reads an upstream's whole reply. Its `usage` holds the upstream's own figures, absent without any; in mode `text`
   * they are for the usage record and not for the client.
   *
   * @throws {SvcError} `upstream_failed`: `upstream_refusal`, `upstream_error`, `upstream_unreadable`
   */
  reply(body: Uint8Array): ChatCompletion
  /**
   * Reads an upstream's stream, cut anywhere: the role, then deltas of one lane each, the finish reason, and at last
   * the usage if there is one. Ending the iteration early ends that of the bytes.
   *
   * @param options.onUsage receives the upstream's figures whenever it sends some, so that a failed or abandoned stream
   *   is billed too @throws {SvcError} `upstream_failed`: `upstream_refusal`, `upstream_error`, `upstream_cut`; any
   *   error of the bytes
   */
  events(
    body: AsyncIterable<Uint8Array>,
    options?: { readonly onUsage?: ((usage: CompletionUsage) => void) | undefined },
  ): AsyncGenerator<ChatCompletionChunk, void, undefined>
}

/**
 * Creates a translator for the upstream of one model.
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
  const build = (chat: ChatCompletionRequest, source: MessagesRequest | undefined): unknown => {
    if (mode === 'text') return buildFromChat(toTextOnly(chat))
    if (!isMessages || source === undefined || !isPlainConversation(source)) return buildFromChat(chat)
    return mark(messagesToMessages({ ...source, stream: chat.stream }, model, options))
  }
  const buildFromChat = (chat: ChatCompletionRequest): unknown =>
    isMessages ? mark(chatToMessages(chat, model, options)) : chatToCompatible(chat, model, options)
  const mark = (request: MessagesRequest): MessagesRequest => (cachePrompt ? addCacheBreakpoints(request) : request)
  return {
    provider,
    mode,
    request: (chat, source) => encodeExactJson(build(chat, source)),
    reply: (body) => (isMessages ? readMessagesReply : readCompatibleReply)(body, reading),
    async *events(body, { onUsage } = {}) {
      const reader = (isMessages ? createMessagesStream : createCompatibleStream)(reading)
      for await (const { data } of readSseEvents(body, unreadable)) {
        try {
          yield* reader.push(data)
        } finally {
          // Behind the text of the same event, which they include.
          const figures = reader.takeFigures()
          if (figures !== undefined) onUsage?.(figures)
        }
        if (reader.hasEnded) return
      }
      const rest = reader.end()
      if (rest === undefined) throw cutOff()
      yield* rest
    },
  }
}
