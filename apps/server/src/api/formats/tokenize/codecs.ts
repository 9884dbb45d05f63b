import { type DetokenizeReply, detokenizeRequest, type TokenizeReply, tokenizeRequest } from '@svc/wire/native'
import type { OperationCodec } from '../../../inference/codec.ts'
import { JsonPieces } from '../../../inference/json-pieces.ts'
import { limitItems } from '../../../inference/limit-items.ts'
import { readBody } from '../../../inference/read-body.ts'
import { MAX_TOKENS_SENT } from '../openai/limits.ts'

/** More tokens are written in pieces. */
const MANY_TOKENS = 32_768

function* writeTokens(tokens: readonly number[]): Generator<string> {
  yield '{"tokens":['
  for (let at = 0; at < tokens.length; at += MANY_TOKENS) {
    yield (at === 0 ? '' : ',') + tokens.slice(at, at + MANY_TOKENS).join(',')
  }
  yield ']}'
}

/** The two ends of `POST /v1/tokenize`. */
export const tokenizeCodec: OperationCodec<'tokenize'> = {
  operation: 'tokenize',
  async parse(document, { signal }) {
    const { content } = await readBody(tokenizeRequest, document, signal)
    return { kind: 'tokenize', text: content }
  },
  reply: (_request, { tokens }): TokenizeReply | JsonPieces =>
    tokens.length > MANY_TOKENS ? new JsonPieces(writeTokens(tokens)) : { tokens: [...tokens] },
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
