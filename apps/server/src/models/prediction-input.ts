/** What a prediction is asked for, as far as the contract with backends has fields for it; requests satisfy it. */
export interface PredictionInput {
  readonly messages: readonly PredictionMessage[]
  readonly generation: PredictionSettings
  /** Tools as the compatible format lists them. */
  readonly tools?: readonly unknown[] | undefined
  readonly toolChoice?: unknown
  readonly reasoningEffort?: string | undefined
  readonly metadata?: Readonly<Record<string, string>> | undefined
}

/** One message of the conversation. */
export interface PredictionMessage {
  readonly role: string
  readonly content: string
  readonly name?: string | undefined
  readonly toolCallId?: string | undefined
  readonly reasoning?: string | undefined
  readonly toolCalls?: readonly PredictionCall[] | undefined
}

/** A call that an earlier answer made. */
export interface PredictionCall {
  readonly id: string
  readonly name: string
  /** JSON text, exactly as the model wrote it. */
  readonly arguments: string
}

/** What the request says about generation; a field left out keeps the model's own setting. */
export interface PredictionSettings {
  readonly temperature?: number | undefined
  readonly topP?: number | undefined
  readonly topK?: number | undefined
  readonly minP?: number | undefined
  readonly typicalP?: number | undefined
  readonly tfz?: number | undefined
  /** 0 = until the model ends or the context is full. */
  readonly maxTokens?: number | undefined
  /** Added to the model's own stop words. */
  readonly stop?: readonly string[] | undefined
  /** -1 = at random. */
  readonly seed?: number | undefined
  /** As the other penalties and `repeatLastN`: 0 keeps the model's own. */
  readonly repeatPenalty?: number | undefined
  readonly repeatLastN?: number | undefined
  readonly frequencyPenalty?: number | undefined
  readonly presencePenalty?: number | undefined
  readonly nKeep?: number | undefined
  readonly batch?: number | undefined
  readonly ignoreEos?: boolean | undefined
  readonly logprobs?: boolean | undefined
  readonly topLogprobs?: number | undefined
  /** Token id to bias. */
  readonly logitBias?: Readonly<Record<string, number>> | undefined
  readonly negativePrompt?: string | undefined
  readonly negativePromptScale?: number | undefined
  readonly ropeFreqBase?: number | undefined
  readonly ropeFreqScale?: number | undefined
}
