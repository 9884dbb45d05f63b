import type { Token } from 'node-llama-cpp'
import type { Batcher, Sequence } from './batcher.ts'
import type { NativeContext } from './native.ts'

/** Abilities of a model's memory beside growing at its end. */
export interface MemoryAbilities {
  /** Tokens of a sliding window after the last one; undefined for a memory of all tokens. */
  readonly window: number | undefined
  /** Whether tokens can be cut off at the end: not for a recurrent state, which sums up all tokens. */
  readonly canCut: boolean
  /** Whether tokens can be removed in the middle and the rest moved up. */
  readonly canShift: boolean
}

/** The engine's memory, sequence by sequence. All changes happen between batches. */
export interface PrefixCache {
  readonly abilities: MemoryAbilities
  /** Keeps the common beginning of a sequence and `prompt`, at most `limit` tokens, and returns its length. */
  align(sequence: Sequence, prompt: readonly Token[], limit?: number): Promise<number>
  /** Cuts a sequence to its first tokens. @returns whether they are still there; if not, the sequence is empty */
  cut(sequence: Sequence, length: number): Promise<boolean>
  /** Removes `count` tokens from index `start` on and moves up the rest. */
  takeOut(sequence: Sequence, start: number, count: number): Promise<void>
}

/** Creates the memory of one context. */
export function createPrefixCache(parts: {
  readonly context: NativeContext
  readonly batcher: Batcher
  readonly abilities: MemoryAbilities
}): PrefixCache {
  const { context, batcher, abilities } = parts

  const clear = (sequence: Sequence): boolean => {
    context.disposeSequence(sequence.id)
    sequence.tokens.length = 0
    return false
  }
  const cutNow = (sequence: Sequence, length: number): boolean => {
    const { tokens, id } = sequence
    if (length >= tokens.length) return true
    if (length === 0 || !abilities.canCut) return clear(sequence)
    // Outside of the window only the later tokens can still be continued.
    const { window } = abilities
    if (window !== undefined && context.getSequenceKvCacheMinPosition(id) > Math.max(0, length - window)) {
      return clear(sequence)
    }
    if (!context.removeTokenCellsFromSequence(id, length, tokens.length)) return clear(sequence)
    tokens.length = length
    return true
  }

  return {
    abilities,
    align: (sequence, prompt, limit = prompt.length) =>
      batcher.between(() => {
        const shared = Math.min(limit, countShared(sequence.tokens, prompt))
        return cutNow(sequence, shared) ? shared : 0
      }),
    cut: (sequence, length) => batcher.between(() => cutNow(sequence, length)),
    takeOut: (sequence, start, count) =>
      batcher.between(() => {
        const { tokens, id } = sequence
        context.removeTokenCellsFromSequence(id, start, start + count)
        context.shiftSequenceTokenCells(id, start + count, tokens.length, -count)
        tokens.splice(start, count)
      }),
  }
}

/** Length of the common beginning. */
export function countShared(a: readonly Token[], b: readonly Token[]): number {
  const most = Math.min(a.length, b.length)
  for (let index = 0; index < most; index++) if (a[index] !== b[index]) return index
  return most
}

/**
 * Chooses the slot for a prompt: the one with the longest common beginning, if that is at least this share of the
 * prompt. Otherwise an unused slot or the least recently used one, so that the others keep their tokens.
 */
export function chooseSlot(
  sequences: readonly Sequence[],
  prompt: readonly Token[],
  { similarity }: { readonly similarity: number },
): number {
  let best = 0
  let longest = 0
  for (const [index, { tokens }] of sequences.entries()) {
    const shared = countShared(tokens, prompt)
    if (shared > longest) {
      longest = shared
      best = index
    }
  }
  if (longest > 0 && longest >= similarity * prompt.length) return best
  const unused = sequences.filter(({ tokens }) => tokens.length === 0).sort((a, b) => a.id - b.id)
  return unused[0] === undefined ? 0 : sequences.indexOf(unused[0])
}
