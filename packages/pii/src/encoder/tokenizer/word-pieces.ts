import { type BPE, library, type Model, type WordPiece } from './library.ts'
import { type TrackedText, toSourceRange } from './tracked-text.ts'

const encoder = new TextEncoder()

/** A token with its source range, in UTF-16 units. */
export interface Token {
  readonly id: number
  readonly start: number
  readonly end: number
}

/** A piece of a word: its tokens, and the number of the word's units that it covers. */
interface Piece {
  /** Tokens of the piece: several for a piece written as bytes, none for a piece that the model leaves out. */
  readonly ids: readonly number[]
  readonly units: number
}

/** The tokens of a text that was split into words. */
export function toTokens(model: Model, words: readonly TrackedText[]): Token[] {
  const tokens = words.flatMap((word) => toWordTokens(model, word))
  return model.fuse_unk ? fuseUnknown(tokens, model.unk_token_id) : tokens
}

function toWordTokens(model: Model, word: TrackedText): Token[] {
  if (word.text === '') return []
  const pieces = findPieces(model, word.text)
  const units = pieces.reduce((sum, piece) => sum + piece.units, 0)
  // Pieces that do not add up to the word have no ranges of their own: each gets the range of the whole word.
  if (units !== word.text.length) {
    const whole = toSourceRange(word, 0, word.text.length)
    return pieces.flatMap(({ ids }) => ids.map((id) => ({ id, ...whole })))
  }
  let at = 0
  return pieces.flatMap((piece) => {
    const start = at
    at += piece.units
    const range = toSourceRange(word, start, at)
    return piece.ids.map((id) => ({ id, ...range }))
  })
}

function findPieces(model: Model, word: string): readonly Piece[] {
  if (model instanceof library.WordPiece) return findWordPieces(model, word)
  if (model instanceof library.BPE) return findMergedPieces(model, word)
  if (model instanceof library.Unigram) {
    const pieces = model.tokenize(word)
    return (pieces.length > 0 ? pieces : [word]).map((text) => ({ ids: known(model, text), units: text.length }))
  }
  return [{ ids: known(model, word), units: word.length }]
}

/** The token of a text, or the one for unknown text if there is one. */
function known(model: Model, text: string): readonly number[] {
  const id = model.tokens_to_ids.get(text) ?? model.unk_token_id
  return id === undefined ? [] : [id]
}

function findWordPieces(model: WordPiece, word: string): readonly Piece[] {
  const texts = model.encode([word])
  if (texts.length === 1) return [{ ids: known(model, texts[0] ?? word), units: word.length }]
  const prefix = String(model.config.continuing_subword_prefix ?? '')
  return texts.map((text, index) => ({
    ids: known(model, text),
    units: text.length - (index > 0 ? prefix.length : 0),
  }))
}

function findMergedPieces(model: BPE, word: string): readonly Piece[] {
  const whole = model.tokens_to_ids.get(word)
  if (model.ignore_merges && whole !== undefined) return [{ ids: [whole], units: word.length }]
  const texts = model.bpe(word)
  return texts.map((text, index) => {
    const isLast = index === texts.length - 1
    const suffix = (isLast ? model.end_of_word_suffix : model.continuing_subword_suffix) ?? ''
    return { ids: mergedIds(model, text), units: text.length - suffix.length }
  })
}

function mergedIds(model: BPE, text: string): readonly number[] {
  if (!model.byte_fallback || model.tokens_to_ids.has(text)) return known(model, text)
  const bytes = [...encoder.encode(text)].map((byte) => {
    return model.tokens_to_ids.get(`<0x${byte.toString(16).toUpperCase().padStart(2, '0')}>`)
  })
  const ids = bytes.filter((id) => id !== undefined)
  return ids.length === bytes.length ? ids : known(model, text)
}

/** Replaces consecutive unknown tokens with one. */
function fuseUnknown(tokens: readonly Token[], unknown: number | undefined): Token[] {
  const fused: Token[] = []
  for (const token of tokens) {
    const last = fused.at(-1)
    if (last !== undefined && token.id === unknown && last.id === unknown) {
      fused[fused.length - 1] = { id: token.id, start: last.start, end: Math.max(last.end, token.end) }
    } else fused.push(token)
  }
  return fused
}
