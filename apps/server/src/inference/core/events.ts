import type { ToolHints } from '../tools/hosted-tool.ts'

/** Reason why a choice ended. */
export type FinishReason = 'stop' | 'length' | 'tool_calls' | 'content_filter'

/** One token with its log-probability and the likeliest alternatives, as the compatible format writes it. */
export interface TokenLogprob {
  readonly token: string
  /** Natural logarithm, at most 0. */
  readonly logprob: number
  /** UTF-8 bytes of the token; null when the backend does not report them. */
  readonly bytes: readonly number[] | null
  readonly top_logprobs: readonly Omit<TokenLogprob, 'top_logprobs'>[]
}

/** One token of a prompt that precedes its answer. */
export interface PromptToken extends Omit<TokenLogprob, 'logprob' | 'top_logprobs'> {
  /** Natural logarithm, at most 0; null where nothing comes before the token. */
  readonly logprob: number | null
  /** The likeliest tokens at its place, best first. */
  readonly top: readonly Omit<TokenLogprob, 'top_logprobs'>[]
}

/** Sound, pictures and text that a call has read or made beside tokens. */
export interface MediaUsage {
  /** Length of sound or film, in seconds. */
  readonly seconds?: number | undefined
  /** Characters of text that became sound. */
  readonly characters?: number | undefined
  readonly images?: number | undefined
}

/** Figures of one prediction, summed over all choices. */
export interface Usage {
  /** All tokens of the prompt, those of the prompt cache included. */
  readonly promptTokens: number
  /** All tokens of the answer, those of thoughts included. */
  readonly completionTokens: number
  /** Prompt tokens that came from a cache; absent when the model's server does not say. */
  readonly cachedTokens?: number | undefined
  /** Prompt tokens that the engine remembered and did not evaluate; absent when it does not say. */
  readonly reusedTokens?: number | undefined
  /** Prompt tokens that were written to a cache; absent when the model's server does not say. */
  readonly cacheWriteTokens?: number | undefined
  /** Completion tokens that were thoughts; absent when the model's server does not say. */
  readonly reasoningTokens?: number | undefined
  /** Absent for requests without media of their own. */
  readonly media?: MediaUsage | undefined
  /** Milliseconds as the backend reports them; 0 when it reports none. */
  readonly promptMs: number
  readonly generationMs: number
}

/** What runs a tool: a server of the MCP, a search in files, or this server itself. */
export type ToolSource = 'mcp' | 'file-search' | 'own'

/** A call of a tool that this server runs. */
interface ServerToolCall {
  readonly choice: number
  readonly id: string
  readonly source: ToolSource
  /** The label of its server. */
  readonly server: string
  /** The name on that server. */
  readonly tool: string
  /** The name for the model. */
  readonly name: string
  /** JSON text with masked values put back. */
  readonly arguments: string
  readonly hints: ToolHints
}

/** Events of tools that this server runs. The calls of a turn come in one batch, before any of them runs. */
export type ServerToolEvent =
  | {
      /** The tools of a server, before the first turn. */
      readonly type: 'server-tools'
      readonly choice: number
      readonly server: string
      readonly tools: readonly {
        readonly name: string
        readonly description?: string | undefined
        readonly inputSchema: Readonly<Record<string, unknown>>
        readonly hints: ToolHints
      }[]
      /** Why the server gives no tools. */
      readonly error?: string | undefined
    }
  | ({ readonly type: 'server-tool-call' } & ServerToolCall)
  | {
      readonly type: 'server-tool-result'
      readonly choice: number
      /** The id of its call. */
      readonly id: string
      readonly name: string
      readonly source: ToolSource
      /** Text as the tool gave it, cut to its limit. */
      readonly output: string
      readonly isError: boolean
    }
  /** A call that waits for the consent of the caller, who sends the conversation again with it. */
  | ({ readonly type: 'server-tool-approval' } & ServerToolCall)

/**
 * One event of a prediction, independent of the wire format. A choice's text, its reasoning and the arguments of each
 * of its tool calls are lanes: events of one lane are in the order of its text. `choice-end` is the last event of a
 * choice, `usage` the last event of all.
 */
export type PredictionEvent =
  | {
      readonly type: 'text-delta'
      readonly choice: number
      readonly text: string
      readonly logprobs?: readonly TokenLogprob[] | undefined
      /** Set when the text is the prompt, which comes before the answer: the tokens of the text. */
      readonly prompt?: readonly PromptToken[] | undefined
    }
  | { readonly type: 'reasoning-delta'; readonly choice: number; readonly text: string }
  | {
      /** Ends a thought with the signature of its upstream, which takes it back only with that signature. */
      readonly type: 'reasoning-signature'
      readonly choice: number
      readonly signature: string
    }
  | {
      /** A thought that only its upstream can read. */
      readonly type: 'redacted-reasoning'
      readonly choice: number
      readonly data: string
    }
  | {
      readonly type: 'tool-call-start'
      readonly choice: number
      readonly index: number
      readonly id: string
      readonly name: string
    }
  | { readonly type: 'tool-call-delta'; readonly choice: number; readonly index: number; readonly arguments: string }
  | {
      readonly type: 'choice-end'
      readonly choice: number
      readonly finishReason: FinishReason
      /** The stop text that ended the choice, when the backend reports it. */
      readonly stopText?: string | undefined
    }
  | ServerToolEvent
  | { readonly type: 'usage'; readonly usage: Usage }

/**
 * Figures of a prediction so far. They come before the first event and after each change, so that a prediction that
 * ends early is counted. No wire format has an event for them.
 */
export interface PredictionProgress {
  readonly type: 'progress'
  readonly usage: Usage
}

/** A fault that does not stop the delivery of a reply, which carries it as a warning. */
export interface ReplyWarning {
  readonly code:
    | 'answer_form_mismatch'
    | 'tools_not_shown'
    | 'no_chat_template'
    /** Parts of the schemas of tools cannot be used. */
    | 'schema_left_out'
    /** Tools that this server does not run are not offered to the model. */
    | 'tools_left_out'
    /** A server of tools gives none. */
    | 'tool_server_failed'
    /** A quota allows no further turn: the reply has the results so far. */
    | 'turns_ended'
  /** A sentence for the client, without a full stop. It may hold keys of the request and of the answer. */
  readonly message: string
}

/** A warning that a prediction gives. */
export interface PredictionWarning extends ReplyWarning {
  readonly type: 'warning'
}

/** One step of a prediction, as executors give it. */
export type PredictionStep = PredictionEvent | PredictionProgress | PredictionWarning

/** Batches of steps: one batch holds the steps of one read from the backend's connection. */
export type StepBatches = AsyncIterable<readonly PredictionStep[]>

/** Usage before a prediction has reported any figures. */
export const NO_USAGE: Usage = { promptTokens: 0, completionTokens: 0, promptMs: 0, generationMs: 0 }

const addKnown = (left: number | undefined, right: number | undefined): number | undefined =>
  left === undefined ? right : left + (right ?? 0)

function addMedia(left: MediaUsage | undefined, right: MediaUsage | undefined): MediaUsage | undefined {
  if (left === undefined || right === undefined) return left ?? right
  return {
    seconds: addKnown(left.seconds, right.seconds),
    characters: addKnown(left.characters, right.characters),
    images: addKnown(left.images, right.images),
  }
}

/** Whether a call has used anything. */
export function isUsed({ promptTokens, completionTokens, media }: Usage): boolean {
  return promptTokens > 0 || completionTokens > 0 || media !== undefined
}

/** Adds the figures of two predictions. A figure that neither has stays absent. */
export function addUsage(left: Usage, right: Usage): Usage {
  if (left === NO_USAGE) return right
  return {
    promptTokens: left.promptTokens + right.promptTokens,
    completionTokens: left.completionTokens + right.completionTokens,
    cachedTokens: addKnown(left.cachedTokens, right.cachedTokens),
    reusedTokens: addKnown(left.reusedTokens, right.reusedTokens),
    cacheWriteTokens: addKnown(left.cacheWriteTokens, right.cacheWriteTokens),
    reasoningTokens: addKnown(left.reasoningTokens, right.reasoningTokens),
    media: addMedia(left.media, right.media),
    promptMs: left.promptMs + right.promptMs,
    generationMs: left.generationMs + right.generationMs,
  }
}
