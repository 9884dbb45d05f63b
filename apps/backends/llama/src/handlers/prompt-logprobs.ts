import type { PartialMessage, PromptLogprobsReply, PromptLogprobsRequest } from '@svc/backend-client/proto'
import type { ExtensionHandlers } from '@svc/backend-kit'
import type { EngineModel } from '../engine/model.ts'
import type { ReadRequest } from '../engine/read-prompt.ts'
import type { TokenLikelihood } from '../engine/token-chooser.ts'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'
import { LEAST_LOGPROB } from './logprobs.ts'
import { MAX_TOP_LOGPROBS } from './predict-request.ts'

type Spelled = NonNullable<PartialMessage<PromptLogprobsReply>['end']>

/** PromptLogprobs: the likelihoods of the tokens of a prompt. */
export function createPromptLogprobsHandlers(host: ModelHost): Pick<ExtensionHandlers, 'promptLogprobs'> {
  return {
    promptLogprobs: async (request, { signal }) => {
      const model = host.use(request.modelIdentity)
      const asked = toReadRequest(request, model)
      const { tokens, next, end } = await model.readPrompt(asked, { signal })
      const spell = ({ token, logprob }: TokenLikelihood): Spelled => ({
        id: token,
        text: model.tokenBytes.of(token),
        logProb: Math.max(LEAST_LOGPROB, logprob),
      })
      return {
        tokens: tokens.map(({ token, logprob = 0, top }) => ({
          token: spell({ token, logprob }),
          top: top.map(spell),
        })),
        next: next.map(spell),
        ...(end && { end: spell(end) }),
        promptTokens: asked.tokens.length,
      }
    },
  }
}

function toReadRequest(request: PromptLogprobsRequest, { tokenizer }: EngineModel): ReadRequest {
  const top = request.topLogprobs
  if (top < 0 || top > MAX_TOP_LOGPROBS) {
    throw invalidRequest(`at most ${MAX_TOP_LOGPROBS} are told of`, 'top_logprobs')
  }
  if (request.tokens.length > 0) return { tokens: tokenizer.toTokens(request.tokens, 'tokens'), skip: 0, top }
  if (request.prompt === '') return { tokens: [], skip: 0, top }
  const tokens = tokenizer.tokenizePrompt(request.prompt)
  return { tokens, skip: tokens.length - tokenizer.tokenize(request.prompt).length, top }
}
