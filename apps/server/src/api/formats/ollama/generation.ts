import type { ChatRequest, CompletionRequest, GenerationRequest } from '../../../inference/request.ts'
import { type KeepAliveFields, toKeepAliveMs } from './keep-alive.ts'

/** What only this format asks for. */
export interface GenerationFields extends KeepAliveFields {
  /** Monotonic milliseconds at which the request was read. */
  readonly startedAt: number
  /** Set where nothing is asked but that the model is loaded or let go. */
  readonly only?: 'load' | 'unload' | undefined
  /** Alternatives that a token is shown with. */
  readonly alternatives: number
}

/** A request of this format in domain terms. */
export type OllamaGeneration = GenerationRequest & GenerationFields

/** What chat and generate say of themselves alike. */
interface OwnFields {
  readonly keep_alive?: Parameters<typeof toKeepAliveMs>[0]
  readonly top_logprobs?: number | null | undefined
  readonly stream?: boolean | null | undefined
}

/** The fields of this format, as a body says them. It streams unless told otherwise. */
export function toFields(body: OwnFields, startedAt: number): GenerationFields & { readonly stream: boolean } {
  return {
    startedAt,
    keepAliveMs: toKeepAliveMs(body.keep_alive),
    alternatives: body.top_logprobs ?? 0,
    stream: body.stream ?? true,
  }
}

/** A request that asks the model nothing; one that is to be let go is not loaded first. */
export function toEmptyRequest(
  fields: GenerationFields & Pick<CompletionRequest | ChatRequest, 'stream'>,
): OllamaGeneration {
  const only = fields.keepAliveMs === 0 ? 'unload' : 'load'
  return { ...fields, kind: 'completion', prompts: [], loads: only === 'load', choices: 1, generation: {}, only }
}
