import { type DetokenizeReply, detokenizeRequest, type TokenizeReply, tokenizeRequest } from '@svc/wire/native'
import { limitItems } from '../../../inference/documents/limit-items.ts'
import { readBody } from '../../../inference/documents/read-body.ts'
import { JsonPieces } from '../../../inference/replies/json-pieces.ts'
import { toOperationCall, type WireFormat } from '../../../inference/replies/wire-format.ts'
import { MAX_TOKENS_SENT } from '../openai/limits.ts'

/** Longer lists are written in pieces. */
const MANY_TOKENS = 32_768

function* writeTokens(tokens: readonly number[]): Generator<string> {
  yield '{"tokens":['
  for (let at = 0; at < tokens.length; at += MANY_TOKENS) {
    yield (at === 0 ? '' : ',') + tokens.slice(at, at + MANY_TOKENS).join(',')
  }
  yield ']}'
}

/** The wire format of `POST /v1/tokenize`. */
export const tokenizeFormat: WireFormat = {
  async read(document, { signal }) {
    const { content } = await readBody(tokenizeRequest, document, signal)
    return toOperationCall<'tokenize'>({ kind: 'tokenize', text: content }, ({ tokens }): TokenizeReply | JsonPieces =>
      tokens.length > MANY_TOKENS ? new JsonPieces(writeTokens(tokens)) : { tokens: [...tokens] },
    )
  },
}

/** The wire format of `POST /v1/detokenize`. */
export const detokenizeFormat: WireFormat = {
  async read(document, { signal }) {
    limitItems(document, 'tokens', MAX_TOKENS_SENT)
    const { tokens } = await readBody(detokenizeRequest, document, signal)
    return toOperationCall<'detokenize'>(
      { kind: 'detokenize', tokens },
      ({ text }): DetokenizeReply => ({ content: text }),
    )
  },
}
