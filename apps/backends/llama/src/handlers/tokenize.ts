import type { BackendHandlers } from '@svc/backend-kit'
import { toPromptTokens } from '../engine/prompt.ts'
import type { ModelHost } from '../model-host.ts'
import { toPromptSource } from './predict-request.ts'

export function createTokenizeHandlers(host: ModelHost): Pick<BackendHandlers, 'tokenizeString' | 'detokenize'> {
  return {
    // Plain text gets no begin token, so that texts can be cut and counted; messages give the prompt as it is read.
    tokenizeString: (request) => {
      const model = host.use(request.ModelIdentity)
      const source = toPromptSource(request)
      const tokens = source.kind === 'text' ? model.tokenizer.tokenize(source.text) : toPromptTokens(model, source)
      return { length: tokens.length, tokens }
    },
    detokenize: (request) => {
      const { tokenizer } = host.use('')
      return { content: tokenizer.toText(tokenizer.toTokens(request.tokens, 'tokens')) }
    },
  }
}
