import type { LlamaModel, Token } from 'node-llama-cpp'

/** Tokens as bytes of text. */
export interface TokenBytes {
  /** The bytes that a token adds to a text; for a mark its name. */
  of(token: Token): Buffer
  /** The token of a single byte, if the vocabulary has one. */
  ofByte(byte: number): Token | undefined
}

const BYTE_TYPE = 6
/** Token types whose text is used literally: control and user-defined tokens. */
const LITERAL_TYPES = new Set([3, 4])
const BYTE_TEXT = /^<0x([0-9A-F]{2})>$/

/** Reads the vocabulary of a model file. */
export function createTokenBytes(llamaModel: LlamaModel): TokenBytes {
  const vocabulary = llamaModel.fileInfo.metadata.tokenizer?.ggml
  const texts: readonly unknown[] = Array.isArray(vocabulary?.tokens) ? vocabulary.tokens : []
  const types: readonly unknown[] = Array.isArray(vocabulary?.token_type) ? vocabulary.token_type : []
  const toBytes = vocabulary?.model === 'gpt2' ? fromByteLevel : fromPieces
  const of = (token: Token): Buffer => {
    const text = String(texts[token] ?? '')
    const type = Number(types[token] ?? 1)
    if (LITERAL_TYPES.has(type)) return Buffer.from(text)
    const [, byte] = type === BYTE_TYPE ? (BYTE_TEXT.exec(text) ?? []) : []
    return byte === undefined ? toBytes(text) : Buffer.from(byte, 'hex')
  }
  let bytes: ReadonlyMap<number, Token> | undefined
  const findBytes = (): ReadonlyMap<number, Token> => {
    const found = new Map<number, Token>()
    for (let id = 0; id < texts.length; id++) {
      const token = id as Token
      const value = LITERAL_TYPES.has(Number(types[id] ?? 1)) ? undefined : of(token)
      if (value?.length === 1 && !found.has(value[0] ?? -1)) found.set(value[0] ?? -1, token)
    }
    return found
  }
  return {
    of,
    ofByte: (byte) => {
      bytes ??= findBytes()
      return bytes.get(byte)
    },
  }
}

/** SentencePiece and similar vocabularies write a space as ▁. */
function fromPieces(text: string): Buffer {
  return Buffer.from(text.replaceAll('▁', ' '))
}

/** Byte-level vocabularies write every byte as one printable character. */
function fromByteLevel(text: string): Buffer {
  return Buffer.concat(
    Array.from(text, (character) => {
      const byte = BYTE_OF_CHARACTER.get(character)
      return byte === undefined ? Buffer.from(character) : Buffer.of(byte)
    }),
  )
}

/**
 * Byte of each character: printable Latin-1 characters are their own byte, characters from 256 on are the other bytes.
 */
const BYTE_OF_CHARACTER: ReadonlyMap<string, number> = (() => {
  const map = new Map<string, number>()
  let next = 256
  for (let byte = 0; byte < 256; byte++) {
    const isPrintable = (byte >= 33 && byte <= 126) || (byte >= 161 && byte <= 172) || byte >= 174
    map.set(String.fromCodePoint(isPrintable ? byte : next++), byte)
  }
  return map
})()
