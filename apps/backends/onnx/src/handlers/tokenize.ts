import type { BackendHandlers } from '@svc/backend-kit'
import type { EngineModel } from '../engine/model.ts'
import { invalidRequest } from '../errors.ts'
import type { ModelHost } from '../model-host.ts'

/** TokenizeString and Detokenize, without special tokens. */
export function createTokenizeHandlers(host: ModelHost): Pick<BackendHandlers, 'tokenizeString' | 'detokenize'> {
  return {
    tokenizeString: async ({ ModelIdentity, Prompt }, { signal }) => {
      const { tokenizer } = host.use(ModelIdentity)
      const tokens = (await tokenizer.encode(Prompt, { signal })).map(({ id }) => id)
      return { length: tokens.length, tokens }
    },
    detokenize: ({ tokens }) => {
      const model = host.use('')
      checkTokens(model, tokens, 'tokens')
      return { content: model.tokenizer.decode(tokens) }
    },
  }
}

/** @throws OnnxError `invalid_request` for a token outside of the vocabulary */
export function checkTokens({ tokenizer }: EngineModel, tokens: readonly number[], param: string): void {
  const unknown = tokens.find((id) => !tokenizer.has(id))
  if (unknown !== undefined) throw invalidRequest(`there is no token ${unknown}`, param)
}
