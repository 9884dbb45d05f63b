/** The form an answer must have. */
export type StructuredOutput =
  | { readonly kind: 'json-object' }
  | { readonly kind: 'json-schema'; readonly schema: unknown; readonly name?: string | undefined }
  /** A grammar in the dialect of llama.cpp. */
  | { readonly kind: 'gbnf'; readonly grammar: string }

/** Form in which a model writes calls of tools: the part of its `function` block that grammars depend on. */
export interface ToolGrammarSettings {
  /** @default name */
  readonly functionNameKey?: string | undefined
  /** @default arguments */
  readonly functionArgumentsKey?: string | undefined
  readonly grammar?:
    | {
        /** Allows several calls at once, as a list. @default false */
        readonly parallelCalls?: boolean | undefined
        /** Writes a list of calls on one line. @default false */
        readonly disableParallelNewLines?: boolean | undefined
        /** Allows text or calls. @default only calls */
        readonly mixedMode?: boolean | undefined
        /** In mixed mode: no text beside calls. @default false */
        readonly noMixedFreeString?: boolean | undefined
        /** In mixed mode: text may follow calls. @default false */
        readonly expectStringsAfterJson?: boolean | undefined
        /** Text before calls. @default none */
        readonly prefix?: string | undefined
        /** Names of properties that come first, with commas between them. */
        readonly propertiesOrder?: string | undefined
        /** `llama3.1` writes calls between tags. @default JSON */
        readonly schemaType?: string | undefined
        /** Words that switch the grammar on. @default it holds from the start */
        readonly triggers?: readonly { readonly word?: string | undefined }[] | undefined
      }
    | undefined
}
