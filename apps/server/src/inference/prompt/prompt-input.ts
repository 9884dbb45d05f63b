/** A call in the history of a conversation. */
export interface PromptToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string
  /** Index as the client wrote it. @default 0, for every call */
  readonly index?: number | undefined
}

/** Numbers of media in a message, by kind. */
export interface MediaCounts {
  readonly images?: number | undefined
  readonly audio?: number | undefined
  readonly video?: number | undefined
}

/** A message as templates see it. */
export interface PromptMessage {
  /** `system`, `user`, `assistant`, `tool`, or any other word of the client. */
  readonly role: string
  /** Text parts joined without a separator; empty when there are none. */
  readonly content: string
  /** Name of the speaker, or of the tool that answers. */
  readonly name?: string | undefined
  readonly toolCalls?: readonly PromptToolCall[] | undefined
  /** The one call of the older format, as its client wrote it: `{name, arguments}`. */
  readonly functionCall?: Readonly<Record<string, unknown>> | undefined
  /**
   * Set for content that came as a list of parts, with or without media: `template.multimodal` then writes the text.
   *
   * @default the content came as one text
   */
  readonly media?: MediaCounts | undefined
}

/** Parts of a request that every template sees. */
export interface PromptExtras {
  /** @default the model's own */
  readonly reasoningEffort?: string | undefined
  /** The metadata without the keys that the server reads itself. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** Parts of a chat request that its prompt needs. A `ChatRequest` is one. */
export interface ChatPromptInput extends PromptExtras {
  readonly messages: readonly PromptMessage[]
  /** Tools as the compatible format lists them. */
  readonly tools?: readonly unknown[] | undefined
  /** `auto`, `none`, `required`, or a tool to call, as the compatible format writes it. */
  readonly toolChoice?: unknown
  /** Any value here means that the reply is held to a form. */
  readonly structuredOutput?: unknown
}

/** Input of an edit. */
export interface EditPromptInput extends PromptExtras {
  /** The text to change. */
  readonly input: string
  /** The change to make. */
  readonly instruction: string
}
