/** When a tool may run: at once, after its caller has agreed, or not at all. */
export type ToolApproval = 'auto' | 'ask' | 'never'

/** What a tool says about itself. Servers that are not trusted may lie. */
export interface ToolHints {
  /** Whether it changes nothing. @default false */
  readonly readOnly?: boolean | undefined
  /** Whether a second call with the same arguments changes nothing more. @default false */
  readonly idempotent?: boolean | undefined
  /** Whether it may remove or overwrite something. @default true */
  readonly destructive?: boolean | undefined
}

/** A remote server that a request names itself. */
export interface NamedToolServer {
  readonly label: string
  /** Address of its streamable HTTP endpoint. */
  readonly url: string
  /** Value of the header `Authorization`, without the word Bearer. */
  readonly token?: string | undefined
  readonly headers?: Readonly<Record<string, string>> | undefined
  /** @default all tools */
  readonly allowed?: readonly string[] | undefined
  readonly denied?: readonly string[] | undefined
  /** The rule of a tool by its name on the server. @default `auto` */
  readonly approval?: ((tool: string) => ToolApproval) | undefined
}

/** What a request wants this server to run. Formats write it, the tool loop reads it. */
export type HostedTool =
  /** Servers of the model's file; all when no names are given. */
  | {
      readonly kind: 'model-servers'
      readonly servers?: readonly string[] | undefined
      /** Whether the request fails without a working server. */
      readonly required: boolean
      /** Whether a model without servers is asked as it is. @default false */
      readonly ifAny?: boolean | undefined
    }
  | { readonly kind: 'named-server'; readonly server: NamedToolServer }
  | {
      readonly kind: 'file-search'
      /** Ids of the vector stores. */
      readonly stores: readonly string[]
      /** 1..50. @default 10 */
      readonly maxResults?: number | undefined
      /** The smallest score of a hit, 0..1. @default 0 */
      readonly threshold?: number | undefined
      /** A filter of attributes, as the request wrote it. */
      readonly filter?: unknown
    }
  /** The tools with which an administrator runs this server. */
  | { readonly kind: 'assistant' }
  /** A tool that reads skills of this server; all of them when no names are given. */
  | { readonly kind: 'skills'; readonly names?: readonly string[] | undefined }
  /** A tool that searches the collections with these names. */
  | {
      readonly kind: 'collections'
      /** Id of the account that they belong to. */
      readonly owner: string
      readonly names: readonly string[]
      /** The one of the names that is left out while there is no such collection. @default none */
      readonly mayMiss?: string | undefined
    }

/** What a request takes from its servers beside tools. */
export interface ServerTexts {
  /** A prompt, whose messages come before those of the request. */
  readonly prompt?: { readonly name: string; readonly args: Readonly<Record<string, string>> } | undefined
  /** Addresses of resources, whose texts follow the last message of the user. @default none */
  readonly resources?: readonly string[] | undefined
}
