import { EVENT_RATE } from './pcm.ts'
import { createResampler } from './resample.ts'

// The scope of audio worklets, which the compiler's library for pages lacks.
declare const sampleRate: number
declare const registerProcessor: (name: string, processor: unknown) => void
declare const AudioWorkletProcessor: { new (): { readonly port: MessagePort } }

/** Samples of one message: 40 ms. */
const PIECE = EVENT_RATE / 25

// A worklet is a class that the browser makes; there is no other form.
registerProcessor(
  'capture',
  class extends AudioWorkletProcessor {
    #resample = createResampler(sampleRate, EVENT_RATE)
    #piece = new Float32Array(PIECE)
    #filled = 0

    process([channels]: readonly (readonly Float32Array[])[]): boolean {
      const [samples] = channels ?? []
      if (samples === undefined) return true
      for (const sample of this.#resample(samples)) {
        this.#piece[this.#filled] = sample
        this.#filled += 1
        if (this.#filled === PIECE) this.#send()
      }
      return true
    }

    #send(): void {
      const { buffer } = this.#piece
      this.port.postMessage(this.#piece, [buffer])
      this.#piece = new Float32Array(PIECE)
      this.#filled = 0
    }
  },
)
