/** A call as the history of a conversation tells it. */
export interface PromptToolCall {
  readonly id: string
  readonly name: string
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string
  /** As the client wrote it. @default 0, for every call */
  readonly index?: number | undefined
}

/** How many media of each kind stand in a message. */
export interface MediaCounts {
  readonly images?: number | undefined
  readonly audio?: number | undefined
  readonly video?: number | undefined
}

/** A message as templates can show it. */
export interface PromptMessage {
  /** `system`, `user`, `assistant`, `tool`, or any other word that the client wrote. */
  readonly role: string
  /** Text parts joined with nothing in between; empty where there is none. */
  readonly content: string
  /** Who speaks, or which tool answers. */
  readonly name?: string | undefined
  readonly toolCalls?: readonly PromptToolCall[] | undefined
  /** The one call of the older format, as its client wrote it: `{name, arguments}`. */
  readonly functionCall?: Readonly<Record<string, unknown>> | undefined
  /**
   * Set for content that came as a list of parts, media among them or not: `template.multimodal` then writes the text.
   *
   * @default the content came as one text
   */
  readonly media?: MediaCounts | undefined
}

/** What every template sees of a request. */
export interface PromptExtras {
  /** @default the model's own */
  readonly reasoningEffort?: string | undefined
  /** Keys that the server reads for itself are not shown. */
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** What of a request for a chat goes into its prompt. A `ChatRequest` is one. */
export interface ChatPromptInput extends PromptExtras {
  readonly messages: readonly PromptMessage[]
  /** Tools as the compatible format lists them. */
  readonly tools?: readonly unknown[] | undefined
  /** `auto`, `none`, `required`, or a tool to be called, as the compatible format says it. */
  readonly toolChoice?: unknown
  /** Anything here means that the reply is held to a form. */
  readonly structuredOutput?: unknown
}

/** What an edit is made of. */
export interface EditPromptInput extends PromptExtras {
  /** The text to change. */
  readonly input: string
  /** What to do with it. */
  readonly instruction: string
}
