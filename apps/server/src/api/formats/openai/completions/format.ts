import { completionRequest } from '@svc/wire/openai'
import { limitItems } from '../../../../inference/documents/limit-items.ts'
import { readBody } from '../../../../inference/documents/read-body.ts'
import { takeLogitBias } from '../../../../inference/engine/logit-bias.ts'
import type { WireFormat } from '../../../../inference/replies/wire-format.ts'
import { MAX_METADATA, MAX_TOKENS_SENT } from '../limits.ts'
import { collectCompletion } from './collect.ts'
import { streamCompletion } from './stream.ts'
import { completionToDomain } from './to-domain.ts'

/** The wire format of `POST /v1/completions`. */
export const completionFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'prompt', MAX_TOKENS_SENT)
    limitItems(document, 'metadata', MAX_METADATA)
    const { rest, logitBias } = await takeLogitBias(document, signal)
    const body = await readBody(completionRequest, rest, signal)
    const request = completionToDomain(body, logitBias)
    const alternatives = request.generation.topLogprobs
    const options = {
      choices: request.choices,
      alternatives,
      includeUsage: body.stream_options?.include_usage ?? false,
    }
    return {
      kind: 'generation',
      request,
      stream: (facts) => streamCompletion(facts, options),
      collect: (facts) => collectCompletion(facts, { choices: request.prompts.length * request.choices, alternatives }),
    }
  },
}
