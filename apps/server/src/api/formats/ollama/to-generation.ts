import type { StructuredOutput } from '@svc/structured-output'
import type { OllamaFormat, OllamaOptions, OllamaThink } from '@svc/wire/ollama'
import type { GenerationOptions, GenerationRequest } from '../../../inference/core/request.ts'
import { toLimit, toStop } from '../openai/to-generation.ts'

/** The fields that chat and generate share. */
interface GenerationFields {
  readonly options?: OllamaOptions | null | undefined
  readonly logprobs?: boolean | null | undefined
  readonly top_logprobs?: number | null | undefined
}

/** Converts the generation options of a request. */
export function toGeneration({ options, logprobs, top_logprobs: top }: GenerationFields): GenerationOptions {
  const said = options ?? {}
  return {
    temperature: said.temperature ?? undefined,
    topP: said.top_p ?? undefined,
    topK: said.top_k ?? undefined,
    minP: said.min_p ?? undefined,
    typicalP: said.typical_p ?? undefined,
    tfz: said.tfs_z ?? undefined,
    maxTokens: toLimit(said.num_predict),
    contextSize: said.num_ctx != null && said.num_ctx > 0 ? said.num_ctx : undefined,
    nKeep: said.num_keep ?? undefined,
    stop: toStop(said.stop),
    seed: said.seed ?? undefined,
    repeatPenalty: said.repeat_penalty ?? undefined,
    repeatLastN: said.repeat_last_n ?? undefined,
    frequencyPenalty: said.frequency_penalty ?? undefined,
    presencePenalty: said.presence_penalty ?? undefined,
    logprobs: logprobs === true,
    topLogprobs: logprobs === true ? (top ?? 0) : undefined,
  }
}

/** Converts the form of the answer; an empty string asks for none. */
export function toForm(format: OllamaFormat | null | undefined): StructuredOutput | undefined {
  if (format == null || format === '') return undefined
  return format === 'json' ? { kind: 'json-object' } : { kind: 'json-schema', schema: format }
}

/** Converts the wish to think; absent: as the model file says. */
export function toThinking(
  think: OllamaThink | null | undefined,
): Pick<GenerationRequest, 'thinking' | 'reasoningEffort'> {
  if (think == null) return {}
  return typeof think === 'boolean' ? { thinking: think } : { thinking: true, reasoningEffort: think }
}
