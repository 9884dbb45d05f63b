declare module '@evan/opus/wasm/index.mjs' {
  /** One libopus decoder, in the same memory. */
  export class Decoder {
    constructor(options: { readonly channels: 1 | 2; readonly sample_rate: number })
    /**
     * Decodes one packet to s16le samples. The result is a copy. An empty packet stands for a lost one: it is concealed
     * with 5760 samples, the longest stretch.
     *
     * @throws Error for a damaged packet
     */
    decode(packet: Uint8Array): Uint8Array
    /** Frees the decoder. It must not be used any more. */
    drop(): void
  }
  /** One libopus encoder. All share one WebAssembly memory, which grows. */
  export class Encoder {
    constructor(options: {
      readonly channels: 1 | 2
      readonly sample_rate: number
      readonly application: 'audio' | 'voip'
    })
    /** `opus_encoder_ctl`: sets a value, or returns it without `value`. @throws Error for a value out of range */
    ctl(request: number, value?: number): number
    /** Encodes one frame of s16le samples. The result is a copy. */
    encode(samples: Uint8Array): Uint8Array
    /** Frees the encoder. It must not be used any more. */
    drop(): void
  }
}
