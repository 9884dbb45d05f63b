/** Copies pieces into one. */
export function joinSamples(pieces: readonly Float32Array[]): Float32Array {
  const joined = new Float32Array(pieces.reduce((sum, piece) => sum + piece.length, 0))
  let at = 0
  for (const piece of pieces) {
    joined.set(piece, at)
    at += piece.length
  }
  return joined
}
