import { type DetokenizeReply, detokenizeRequest, type TokenizeReply, tokenizeRequest } from '@svc/wire'
import type { OperationCodec } from '../../inference/codec.ts'
import { limitItems } from '../../inference/limit-items.ts'
import { readBody } from '../../inference/read-body.ts'
import { MAX_TOKENS_SENT } from '../openai/limits.ts'

/** The two ends of `POST /v1/tokenize`. */
export const tokenizeCodec: OperationCodec<'tokenize'> = {
  operation: 'tokenize',
  async parse(document, { signal }) {
    const { content } = await readBody(tokenizeRequest, document, signal)
    return { kind: 'tokenize', text: content }
  },
  reply: (_request, { tokens }): TokenizeReply => ({ tokens: [...tokens] }),
}

/** The two ends of `POST /v1/detokenize`. */
export const detokenizeCodec: OperationCodec<'detokenize'> = {
  operation: 'detokenize',
  async parse(document, { signal }) {
    limitItems(document, 'tokens', MAX_TOKENS_SENT)
    const { tokens } = await readBody(detokenizeRequest, document, signal)
    return { kind: 'detokenize', tokens }
  },
  reply: (_request, { text }): DetokenizeReply => ({ content: text }),
}
