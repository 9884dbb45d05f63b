import { completionRequest } from '@svc/wire/openai'
import type { GenerationCodec } from '../../../../inference/codec.ts'
import { limitItems } from '../../../../inference/limit-items.ts'
import { readBody } from '../../../../inference/read-body.ts'
import { MAX_TOKENS_SENT } from '../limits.ts'
import { collectCompletion } from './collect.ts'
import { streamCompletion } from './stream.ts'
import { type CompatibleCompletionRequest, completionToDomain } from './to-domain.ts'

/** The two ends of `POST /v1/completions`. */
export const completionCodec: GenerationCodec<CompatibleCompletionRequest> = {
  async parse(document, { signal }) {
    limitItems(document, 'prompt', MAX_TOKENS_SENT)
    return completionToDomain(await readBody(completionRequest, document, signal))
  },
  stream: (request, facts) => streamCompletion(facts, request),
  collect: ({ prompts, choices, alternatives }, facts) =>
    collectCompletion(facts, { choices: prompts.length * choices, alternatives }),
}
