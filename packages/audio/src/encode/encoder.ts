/** An encoder of one stream. Its work on one call is short: callers give it a few thousand samples at a time. */
export interface Encoder {
  /** Takes the next interleaved samples, in whole frames, and returns the bytes that are complete. */
  push(samples: Float32Array): readonly Uint8Array[]
  /** Ends the stream and returns its last bytes. */
  end(): readonly Uint8Array[]
  /** Gives the memory of the codec back. Does nothing the second time. */
  close(): void
}

/** The form of the samples that an encoder takes, and the bits a second that it may use. */
export interface EncoderOptions {
  /** Samples a second, one of those that the format can have. */
  readonly sampleRate: number
  /** Interleaved channels. */
  readonly channels: 1 | 2
  /** Bits a second, already checked to be a positive integer. @default the encoder's own */
  readonly bitRate?: number | undefined
}
