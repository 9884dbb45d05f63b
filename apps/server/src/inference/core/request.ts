import type { StructuredOutput } from '@svc/structured-output'
import type { Attachment, RequestMedia } from '../media/attachment.ts'
import type { HostedTool, ServerTexts } from '../tools/hosted-tool.ts'
import type { ReplyWarning } from './events.ts'

/** A call that the model made, or one of the history. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string
  /** Index of a call in the history, as its client wrote it. @default 0 */
  readonly index?: number | undefined
}

/** Numbers of media in a message, by kind. */
interface MediaCounts {
  readonly images: number
  readonly audio: number
  readonly video: number
}

/** A message of the conversation in domain terms. */
export interface ChatMessage {
  /** `function` is the older word for `tool`. */
  readonly role: 'system' | 'user' | 'assistant' | 'tool' | 'function'
  readonly content: string
  readonly name?: string | undefined
  readonly toolCallId?: string | undefined
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly ToolCall[] | undefined
  /** The one call of the older format, as its client wrote it. */
  readonly functionCall?: { readonly name: string; readonly arguments?: string | null | undefined } | undefined
  /** Numbers of media in the content; set when it came as a list of parts. */
  readonly media?: MediaCounts | undefined
  /** Media of the content in order. They are read and counted in `media` once the model is known to take them. */
  readonly attachments?: readonly Attachment[] | undefined
}

/** Options of a request for generation; an absent field keeps the model's own setting. */
export interface GenerationOptions {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly minP?: number | undefined
  readonly typicalP?: number | undefined
  readonly tfz?: number | undefined
  /** Maximum number of tokens to generate; 0 = until the model ends or the context is full. */
  readonly maxTokens?: number | undefined
  /** Added to the model's own stop words. */
  readonly stop?: readonly string[] | undefined
  readonly seed?: number | undefined
  readonly repeatPenalty?: number | undefined
  readonly repeatLastN?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly nKeep?: number | undefined
  readonly batch?: number | undefined
  readonly ignoreEos?: boolean | undefined
  readonly logprobs?: boolean | undefined
  /** 0..20 */
  readonly topLogprobs?: number | undefined
  /** Token ids with a bias of -100..100, as JSON text: it may have an entry for each token of a model. */
  readonly logitBias?: string | undefined
  readonly negativePrompt?: string | undefined
  readonly negativePromptScale?: number | undefined
  readonly ropeFreqBase?: number | undefined
  readonly ropeFreqScale?: number | undefined
  /** Maximum number of tokens of prompt and answer; it only lowers the model's own context. */
  readonly contextSize?: number | undefined
}

/** Common fields of all generated replies. */
interface Generation {
  readonly generation: GenerationOptions
  /** Number of choices, at least 1; of a completion: for each prompt. */
  readonly choices: number
  readonly structuredOutput?: StructuredOutput | undefined
  /** Whether the prompt precedes each answer. @default the model's own setting */
  readonly echo?: boolean | undefined
  readonly reasoningEffort?: string | undefined
  /**
   * Whether the model thinks before it answers; never when its file switches thinking off. @default the model's own way
   */
  readonly thinking?: boolean | undefined
  /** Passed to the backend unchanged. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
  readonly stream: boolean
  /** Parts of the request that are not honoured; the reply carries them. @default none */
  readonly warnings?: readonly ReplyWarning[] | undefined
}

/** A conversation to continue. */
export interface ChatRequest extends Generation {
  readonly kind: 'chat'
  readonly messages: readonly ChatMessage[]
  /** Tools as the compatible format lists them; none when calls are switched off. */
  readonly tools?: readonly unknown[] | undefined
  readonly toolChoice?: unknown
  /** Whether one turn may call more than one tool. @default true */
  readonly parallelToolCalls?: boolean | undefined
  /** Tools that this server runs for the request. @default none */
  readonly hostedTools?: readonly HostedTool[] | undefined
  /** Whether calls that wait for the consent of the caller may run, by their ids. @default none may */
  readonly approvals?: ReadonlyMap<string, boolean> | undefined
  /** Texts of the servers of tools. @default none */
  readonly serverTexts?: ServerTexts | undefined
  /** The attachments of the messages, once they have been read. */
  readonly media?: RequestMedia | undefined
}

/** Texts to continue, each by itself. Without any the model is only loaded. */
export interface CompletionRequest extends Generation {
  readonly kind: 'completion'
  /** Texts or lists of tokens; choice `i` of prompt `p` is choice `p × choices + i` of the reply. */
  readonly prompts: readonly (string | readonly number[])[]
  /** Whether the texts go to the model without a template. @default false */
  readonly raw?: boolean | undefined
  /** Whether the model continues the texts. @default true */
  readonly generates?: boolean | undefined
  /**
   * Precedes each answer with its prompt and the log-probabilities of the prompt's tokens. Number of the likeliest
   * tokens at each place. @default not wanted
   */
  readonly promptLogprobs?: number | undefined
  /** Whether the model is loaded for the request; false only when nothing is asked of it. @default true */
  readonly loads?: boolean | undefined
  /** The change to make to each text; with it a text is edited and not continued. */
  readonly instruction?: string | undefined
}

/** A request whose reply is generated. */
export type GenerationRequest = ChatRequest | CompletionRequest
