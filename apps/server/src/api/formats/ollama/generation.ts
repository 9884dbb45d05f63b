import type { GenerationRequest } from '../../../inference/core/request.ts'
import type { GenerationCall } from '../../../inference/replies/wire-format.ts'
import type { Clock } from '../../../ports.ts'
import type { KeepAlive } from '../../../residency/keep-alive.ts'
import { type AnswerFormat, collectAnswer, streamAnswer } from './answer.ts'
import type { GenerationFields } from './fields.ts'

/** Creates a request that asks the model nothing. A model to unload is not loaded first. */
export function toEmptyRequest({ only, stream }: GenerationFields): GenerationRequest {
  return { kind: 'completion', prompts: [], loads: only === 'load', choices: 1, generation: {}, stream }
}

/** Common options of the formats of this ecosystem. */
export interface OllamaFormatParts {
  readonly clock: Clock
  readonly keepAlive: Pick<KeepAlive, 'set'>
}

/** Joins a request and the encoder of its answer. Afterwards the model stays for the requested time. */
export function toGenerationCall(
  request: GenerationRequest,
  { fields, format }: { readonly fields: GenerationFields; readonly format: AnswerFormat },
  { clock, keepAlive }: OllamaFormatParts,
): GenerationCall {
  return {
    kind: 'generation',
    request,
    stream: (facts) => streamAnswer(facts, { fields, format, clock }),
    collect: (facts) => collectAnswer(facts, { fields, format, clock }),
    completed: ({ name }) => keepAlive.set(name, fields.keepAliveMs),
  }
}
