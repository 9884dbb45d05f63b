import type { PostProcessor } from './library.ts'

/** Special tokens that a model expects around one text, or around two. */
export interface Frame {
  readonly before: readonly FrameToken[]
  /** Type of the first text's tokens, and of the second's. */
  readonly textTypes: readonly number[]
  /** Between two texts; empty for one. */
  readonly between: readonly FrameToken[]
  readonly after: readonly FrameToken[]
}

/** A token of the frame. */
export interface FrameToken {
  readonly id: number
  readonly type: number
}

// Markers that no vocabulary contains.
const FIRST = '\u0000first'
const SECOND = '\u0000second'
const BARE: Frame = { before: [], textTypes: [0], between: [], after: [] }

/** Reads the frame of one text. */
export function readSingleFrame(postProcessor: PostProcessor | null, toId: (token: string) => number): Frame {
  if (postProcessor === null) return BARE
  const { tokens, token_type_ids: types } = postProcessor.post_process([FIRST], null, true)
  const at = tokens.indexOf(FIRST)
  const frame = toFrame(tokens, types, toId)
  return { before: frame.slice(0, at), textTypes: [types?.[at] ?? 0], between: [], after: frame.slice(at + 1) }
}

/** Reads the frame of two texts; undefined for a tokenizer that cannot join them. */
export function readPairFrame(postProcessor: PostProcessor | null, toId: (token: string) => number): Frame | undefined {
  if (postProcessor === null) return undefined
  const { tokens, token_type_ids: types } = postProcessor.post_process([FIRST], [SECOND], true)
  const [first, second] = [tokens.indexOf(FIRST), tokens.indexOf(SECOND)]
  if (first < 0 || second < first) return undefined
  const frame = toFrame(tokens, types, toId)
  return {
    before: frame.slice(0, first),
    textTypes: [types?.[first] ?? 0, types?.[second] ?? 0],
    between: frame.slice(first + 1, second),
    after: frame.slice(second + 1),
  }
}

/** Number of tokens in a frame. */
export function measureFrame({ before, between, after }: Frame): number {
  return before.length + between.length + after.length
}

function toFrame(
  tokens: readonly string[],
  types: readonly number[] | undefined,
  toId: (token: string) => number,
): readonly FrameToken[] {
  return tokens.map((token, index) => ({ id: toId(token), type: types?.[index] ?? 0 }))
}
