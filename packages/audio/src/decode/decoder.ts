/** Samples of some bytes of a file, each channel apart. All channels have the same length. */
export interface DecodedPiece {
  readonly sampleRate: number
  readonly channels: readonly Float32Array[]
}

/** A decoder of one file. */
export interface Decoder {
  /** Bytes that it takes at once. A few bytes of silence may decode to many samples: small pieces bound the memory. */
  readonly pieceBytes: number
  push(bytes: Uint8Array): Promise<DecodedPiece> | DecodedPiece
  end(): Promise<DecodedPiece | undefined>
  /** Frees the memory. */
  close(): void
}
