import { AudioError } from '../errors.ts'
import type { DecodedPiece } from './decoded.ts'
import { quietly } from './quietly.ts'

/** Samples of all channels, from a piece of a file. */
interface DecodedChannels {
  readonly channelData: readonly Float32Array[]
  readonly sampleRate: number
  readonly samplesDecoded: number
}

/** A decoder in WebAssembly, ready for use. */
export interface WasmDecoder {
  decode(piece: Uint8Array): DecodedChannels | Promise<DecodedChannels>
  /** Decodes what is left at the end. */
  flush?(): Promise<DecodedChannels>
  free(): void
}

/**
 * Decodes pieces of a file, and frees the decoder at the end.
 *
 * @throws AudioError `bad_audio` where the decoder fails; errors of the pieces as they are
 */
export async function* runDecoder(
  decoder: WasmDecoder,
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<DecodedPiece> {
  try {
    for await (const piece of pieces) yield* toPieces(await guard(() => quietly(() => decoder.decode(piece))))
    const rest = await guard(() => quietly(() => decoder.flush?.()))
    if (rest !== undefined) yield* toPieces(rest)
  } finally {
    free(decoder)
  }
}

function* toPieces({ channelData: channels, sampleRate, samplesDecoded }: DecodedChannels): Generator<DecodedPiece> {
  if (samplesDecoded > 0) yield { sampleRate, channels }
}

/** Decoders throw whatever a damaged file leads them to, such as access out of bounds. */
async function guard<Result>(step: () => Result | Promise<Result>): Promise<Result> {
  try {
    return await step()
  } catch (cause) {
    throw new AudioError('bad_audio', 'the file is damaged and cannot be decoded', { cause })
  }
}

/** A decoder that has failed may fail here too. Its memory goes with it. */
function free(decoder: WasmDecoder): void {
  try {
    decoder.free()
  } catch {
    // the error of the file is thrown already
  }
}
