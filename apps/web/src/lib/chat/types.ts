/** A file that goes with a message. */
export interface Attachment {
  readonly id: string
  readonly kind: 'text' | 'image' | 'audio' | 'video'
  readonly name: string
  /** Media type, such as `image/png`. */
  readonly type: string
  /** Size of the sent data, in bytes. */
  readonly bytes: number
  /** The text of a text file; else a `data:` address. */
  readonly data: string
}

/** A call of a tool that the model asked for, and its result. */
export interface ToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, as the model wrote it; unfinished while it streams. */
  readonly arguments: string
  /** The server that has the tool; absent for tools that this server does not run. */
  readonly server?: string | undefined
  /** The name on that server. */
  readonly tool?: string | undefined
  /** Length of the answer's text before the call, in UTF-16 code units. @default 0 */
  readonly textBefore?: number | undefined
  /** The reader's decision about a call that waits for consent. */
  readonly consent?: 'asked' | 'allowed' | 'declined' | undefined
  /** Whether the server has begun to run it. */
  readonly isStarted?: boolean | undefined
  /** The tool's answer, if the server ran the tool. */
  readonly result?: string | undefined
  readonly startedAt: number
  readonly durationMs?: number | undefined
  readonly isFailed?: boolean | undefined
}

/** Figures of an answer. */
export interface Figures {
  /** Tokens of the answer; counted by the server, else by the pieces that came. */
  readonly tokens: number
  readonly promptTokens?: number | undefined
  /** From sending to the first piece, in milliseconds. */
  readonly firstTokenMs?: number | undefined
  /** From the first piece to the last, in milliseconds. */
  readonly streamMs?: number | undefined
}

/** The failure of an answer. */
export interface Failure {
  readonly message: string
  /** Status of the reply; 0 without one, 200 when it broke off in mid-stream. */
  readonly status: number
  /** The stable word for it, such as `pii_blocked` or `model_loading`. */
  readonly code?: string | undefined
  readonly correlationId?: string | undefined
  readonly retryAfterMs?: number | undefined
  /** Time of the failure, in milliseconds since 1970. */
  readonly at?: number | undefined
}

/** `streaming`: it is being written. `interrupted`: the page went away meanwhile. `stopped`: by the reader. */
export type MessageState = 'done' | 'streaming' | 'interrupted' | 'stopped' | 'failed'

/** A message of a chat. Messages form a tree: an edited or repeated one is a sibling of the older one. */
export interface Message {
  readonly id: string
  readonly chatId: string
  readonly parentId: string | null
  readonly role: 'user' | 'assistant'
  /** Milliseconds since 1970. */
  readonly createdAt: number
  readonly text: string
  readonly attachments: readonly Attachment[]
  readonly reasoning: string
  /** Time that the model thought, in milliseconds. */
  readonly reasoningMs?: number | undefined
  readonly toolCalls: readonly ToolCall[]
  /** Servers of tools that failed, each as a sentence. */
  readonly serverFaults?: readonly string[] | undefined
  /** The model that was asked. */
  readonly model?: string | undefined
  /** The model that answered, where it is another one. */
  readonly servedModel?: string | undefined
  readonly figures?: Figures | undefined
  readonly state: MessageState
  /** Whether the limit of tokens ended the answer. */
  readonly isCut?: boolean | undefined
  readonly failure?: Failure | undefined
  /** An answer that the server continues to write without this page. */
  readonly background?: { readonly responseId: string; readonly lastSequence: number } | undefined
  /** The tab that writes it, and when it last did. */
  readonly writer?: { readonly tab: string; readonly at: number } | undefined
}

/** Settings in the drawer of a chat; undefined leaves the choice to the model. */
export interface ChatSettings {
  readonly systemPrompt: string
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly maxTokens?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly seed?: number | undefined
  /** Texts that end the answer. */
  readonly stop: readonly string[]
  /** Whether a model that can think may do so. */
  readonly isThinking: boolean
  /** Whether the server continues when the page is closed. */
  readonly isBackground: boolean
  /** Names of the servers whose tools the model may use. @default none */
  readonly toolServers?: readonly string[] | undefined
  /** Whether the model runs this server with the assistant's tools. @default false */
  readonly isAssistant?: boolean | undefined
}

/** A chat without its messages: one row of the list. */
export interface ChatEntry {
  readonly id: string
  readonly title: string
  readonly createdAt: number
  readonly updatedAt: number
  readonly model: string
  readonly settings: ChatSettings
  /** The message at whose end the reader is; its ancestors are the visible conversation. */
  readonly leafId: string | null
  /** Size of the messages, in bytes, about. */
  readonly bytes: number
}

/** A chat with its messages. */
export interface Chat {
  readonly entry: ChatEntry
  readonly messages: readonly Message[]
}

export const DEFAULT_SETTINGS: ChatSettings = {
  systemPrompt: '',
  stop: [],
  isThinking: true,
  isBackground: false,
}

/** A new id; pages without TLS have no `crypto.randomUUID`. */
export function createId(): string {
  return Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => byte.toString(16).padStart(2, '0')).join('')
}
