import workletUrl from './capture-worklet.ts?worker&url'

/** Sound of a microphone on its way out. */
export interface Capture {
  /** Stops it; the microphone itself stays open. */
  readonly close: () => void
}

/**
 * Hands over the sound of a microphone in pieces of 40 ms, 24,000 samples a second, -1..1.
 *
 * @throws Error in browsers without audio worklets
 */
export async function captureSound(stream: MediaStream, onSamples: (samples: Float32Array) => void): Promise<Capture> {
  const context = new AudioContext()
  const close = () => void context.close().catch(() => {})
  try {
    await context.audioWorklet.addModule(workletUrl)
    const node = new AudioWorkletNode(context, 'capture', {
      numberOfOutputs: 0,
      channelCount: 1,
      channelCountMode: 'explicit',
    })
    node.port.onmessage = ({ data }: MessageEvent<Float32Array>) => onSamples(data)
    context.createMediaStreamSource(stream).connect(node)
    await context.resume()
    return { close }
  } catch (error) {
    close()
    throw error
  }
}
