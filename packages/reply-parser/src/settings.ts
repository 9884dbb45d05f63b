/** Settings for reading tool calls from a model's text: the relevant part of the `function` block of a model file. */
export interface ToolCallSettings {
  /** Expressions with the groups `name` and `arguments`. When given, only they are tried. */
  readonly responseRegex?: readonly string[] | undefined
  readonly jsonRegexMatch?: readonly string[] | undefined
  readonly argumentRegex?: readonly string[] | undefined
  /** Group of `argumentRegex` that holds the key. @default 'key' */
  readonly argumentRegexKeyName?: string | undefined
  /** Group of `argumentRegex` that holds the value. @default 'value' */
  readonly argumentRegexValueName?: string | undefined
  readonly replaceFunctionResults?: readonly Replacement[] | undefined
  readonly replaceLlmResults?: readonly Replacement[] | undefined
  readonly captureLlmResults?: readonly string[] | undefined
  /** @default 'name' */
  readonly functionNameKey?: string | undefined
  /** @default 'arguments' */
  readonly functionArgumentsKey?: string | undefined
  /** Treats a call of the no-action function as an ordinary call. By default its message is the answer. */
  readonly disableNoAction?: boolean | undefined
  /** @default 'answer' */
  readonly noActionFunctionName?: string | undefined
  readonly automaticToolParsingFallback?: boolean | undefined
  /** Name of a known form, such as `qwen3-coder`. */
  readonly xmlFormatPreset?: string | undefined
  readonly xmlFormat?: XmlFormat | undefined
}

/** Every match of `key` becomes `value`. */
export interface Replacement {
  readonly key?: string | undefined
  readonly value?: string | undefined
}

/** A form of calls in tags, described by the texts between its parts. */
export interface XmlFormat {
  readonly scopeStart?: string | undefined
  readonly toolStart?: string | undefined
  readonly toolSep?: string | undefined
  readonly keyStart?: string | undefined
  readonly keyValSep?: string | undefined
  readonly keyValSep2?: string | undefined
  readonly valEnd?: string | undefined
  readonly toolEnd?: string | undefined
  readonly scopeEnd?: string | undefined
  readonly lastValEnd?: string | undefined
  readonly lastToolEnd?: string | undefined
  /** Whether values are always text. Undefined: JSON where they parse as JSON. */
  readonly rawArgval?: boolean | undefined
  readonly trimRawArgval?: boolean | undefined
}

/** Settings for separating reasoning from the answer: the `reasoning` block of a model file. */
export interface ReasoningSettings {
  /** The model is asked not to reason; tags in its text are text. */
  readonly disable?: boolean | undefined
  /** A start token at the end of the prompt does not count. */
  readonly disableReasoningTagPrefill?: boolean | undefined
  /** Reasoning is cut out and not reported. */
  readonly stripReasoningOnly?: boolean | undefined
  /** Start tokens beside the start tokens of the pairs. */
  readonly thinkingStartTokens?: readonly string[] | undefined
  /** Pairs beside the built-in ones, and before them. */
  readonly tagPairs?: readonly { readonly start?: string | undefined; readonly end?: string | undefined }[] | undefined
}
