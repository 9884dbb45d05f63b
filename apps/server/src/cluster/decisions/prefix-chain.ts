/** 64-bit xxHash of bytes with seed 0. */
export type Hash64 = (bytes: Uint8Array) => bigint

/**
 * Hashes of the beginnings of a prompt, the shortest first. Each is an unsigned 64-bit hash as a JSON reader sees it:
 * the nearest double.
 */
export type PrefixChain = readonly number[]

const MAX_DEPTH = 64
const WINDOW_BYTES = 256
/** From this window on, each is half as long again as the one before, so that 64 windows cover long conversations. */
const FIRST_GROWING = 48

/** Where each window ends, bytes from the start of the prompt. */
const WINDOW_ENDS: readonly number[] = (() => {
  const ends: number[] = []
  let end = 0
  let size = WINDOW_BYTES
  for (let window = 0; window < MAX_DEPTH; window += 1) {
    if (window >= FIRST_GROWING) size = Math.round(size * 1.5)
    end += size
    ends.push(end)
  }
  return ends
})()

/** The share of a prompt that its first windows hold, 0 to 1. */
export function matchShare(matchedWindows: number, windows: number): number {
  if (windows === 0) return 0
  return (WINDOW_ENDS[matchedWindows - 1] ?? 0) / (WINDOW_ENDS[windows - 1] ?? 1)
}

/** Reads the chain of a prompt: UTF-8 in, hashes out. */
export type ReadChain = (model: string, prompt: string) => PrefixChain

/**
 * Creates a reader of prefix chains. The first window is hashed with the hash of the model before it, each further one
 * with the hash before it, as 8 bytes with the lowest first. Text past the last window (about 516 KiB) counts for nothing.
 */
export function createChainReader(hash64: Hash64): ReadChain {
  const encoder = new TextEncoder()
  const lastEnd = WINDOW_ENDS.at(-1) ?? 0
  const block = new Uint8Array(8 + lastEnd)
  const head = new DataView(block.buffer)

  return (model, prompt) => {
    let previous = hash64(encoder.encode(model))
    // A slice of that many code units has at least that many bytes; what follows is not looked at.
    const bytes = encoder.encode(prompt.length > lastEnd ? prompt.slice(0, lastEnd) : prompt)
    const chain: number[] = []
    let start = 0
    for (const windowEnd of WINDOW_ENDS) {
      if (start >= bytes.length) break
      const end = Math.min(windowEnd, bytes.length)
      head.setBigUint64(0, previous, true)
      block.set(bytes.subarray(start, end), 8)
      previous = hash64(block.subarray(0, 8 + end - start))
      chain.push(Number(previous))
      start = end
    }
    return chain
  }
}
