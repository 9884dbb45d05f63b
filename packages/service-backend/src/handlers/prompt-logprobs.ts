import type { ExtensionHandlers } from '@svc/backend-kit'
import { toCall } from '../call.ts'
import type { ServiceHost } from '../host.ts'
import type { SpelledToken } from '../service/prompt-logprobs.ts'

/** PromptLogprobs of our own service. */
export function createPromptLogprobsHandlers(host: ServiceHost): Pick<Required<ExtensionHandlers>, 'promptLogprobs'> {
  return {
    promptLogprobs: async ({ modelIdentity, prompt, tokens: ids, topLogprobs: top }, context) => {
      const service = host.use(modelIdentity)
      const asked = ids.length > 0 ? ids : prompt
      const { tokens, next, promptTokens } = await service.readPrompt({ prompt: asked, top }, toCall(context))
      return {
        tokens: tokens.map((token) => ({ token: toLikelihood(token), top: token.top.map(toLikelihood) })),
        next: next.top.map(toLikelihood),
        end: { ...toLikelihood(next), text: Buffer.of() },
        promptTokens,
      }
    },
  }
}

function toLikelihood({ bytes, logprob }: SpelledToken): { readonly text: Buffer; readonly logProb: number } {
  return { text: Buffer.from(bytes), logProb: logprob }
}
