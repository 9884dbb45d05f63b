/** A small Whisper model with random weights. */
export interface TinyWhisper {
  /** Size of its state, a multiple of `heads`. @default 16 */
  readonly state?: number | undefined
  /** @default 1 */
  readonly heads?: number | undefined
  /** @default 1 */
  readonly layers?: number | undefined
  /** Whether it knows 99 languages instead of English alone. */
  readonly isMultilingual?: boolean | undefined
}

const MAGIC = 0x67676d6c
const MELS = 80
const SPECTRUM = 201
const AUDIO_CONTEXT = 1500
const TEXT_CONTEXT = 64
const F32 = 0
const F16 = 1

/**
 * Bytes of a ggml file of Whisper, about 2 MB: its vocabulary is as long as that of every Whisper. The engine loads it
 * and writes words such as `w9o0`, always the same for the same audio.
 */
export function whisperBytes({ state = 16, heads = 1, layers = 1, isMultilingual = false }: TinyWhisper = {}): Buffer {
  const entries = isMultilingual ? 51_865 : 51_864
  const words = isMultilingual ? 50_257 : 50_256
  const parts: Buffer[] = [
    toInts(MAGIC, entries, AUDIO_CONTEXT, state, heads, layers, TEXT_CONTEXT, state, heads, layers, MELS, F16),
    toInts(MELS, SPECTRUM),
    toFloats(makeFilters()),
    toInts(words),
  ]
  for (let index = 0; index < words; index += 1) {
    const word = index < 256 ? Buffer.from([index]) : Buffer.from(` w${index.toString(36)}`)
    parts.push(toInts(word.length), word)
  }
  const random = createRandom()
  for (const [name, shape] of listWeights(state, layers, entries)) {
    // whole layers of zeros and ones, as an untrained model has them
    const isFlat = name.endsWith('.bias') || /ln[^.]*\.weight$/.test(name)
    const scale = 2 / Math.sqrt(shape[0] ?? 1)
    const value = (): number => (isFlat ? Number(name.endsWith('.weight')) : random() * scale)
    const count = shape.reduce((product, size) => product * size, 1)
    const weights = Float32Array.from({ length: count }, value)
    const isHalf = shape.length > 1 && name.endsWith('.weight')
    parts.push(toInts(shape.length, name.length, isHalf ? F16 : F32, ...shape), Buffer.from(name))
    parts.push(isHalf ? toHalves(weights) : toFloats(weights))
  }
  return Buffer.concat(parts)
}

type Weights = readonly (readonly [name: string, shape: readonly number[]])[]

/** Names and shapes in the order of the file, the fastest dimension first. */
function listWeights(state: number, layers: number, entries: number): Weights {
  const norm = (name: string): Weights => [
    [`${name}.weight`, [state]],
    [`${name}.bias`, [state]],
  ]
  const linear = (name: string, inputs: number, outputs: number): Weights => [
    [`${name}.weight`, [inputs, outputs]],
    [`${name}.bias`, [outputs]],
  ]
  const attention = (name: string): Weights => [
    ...linear(`${name}.query`, state, state),
    [`${name}.key.weight`, [state, state]],
    ...linear(`${name}.value`, state, state),
    ...linear(`${name}.out`, state, state),
  ]
  const block = (name: string, isDecoder: boolean): Weights => [
    ...norm(`${name}.attn_ln`),
    ...attention(`${name}.attn`),
    ...(isDecoder ? [...norm(`${name}.cross_attn_ln`), ...attention(`${name}.cross_attn`)] : []),
    ...norm(`${name}.mlp_ln`),
    ...linear(`${name}.mlp.0`, state, 4 * state),
    ...linear(`${name}.mlp.2`, 4 * state, state),
  ]
  const blocks = (side: string): Weights =>
    Array.from({ length: layers }, (_, index) => block(`${side}.blocks.${index}`, side === 'decoder')).flat()
  return [
    ['encoder.positional_embedding', [state, AUDIO_CONTEXT]],
    ['encoder.conv1.weight', [3, MELS, state]],
    ['encoder.conv1.bias', [1, state]],
    ['encoder.conv2.weight', [3, state, state]],
    ['encoder.conv2.bias', [1, state]],
    ...norm('encoder.ln_post'),
    ...blocks('encoder'),
    ['decoder.positional_embedding', [state, TEXT_CONTEXT]],
    ['decoder.token_embedding.weight', [state, entries]],
    ...norm('decoder.ln'),
    ...blocks('decoder'),
  ]
}

/** Triangles over the spectrum. A real bank has other ones; noise is enough for random weights. */
function makeFilters(): Float32Array {
  const filters = new Float32Array(MELS * SPECTRUM)
  for (let band = 0; band < MELS; band += 1) {
    const centre = 1 + Math.floor((band * (SPECTRUM - 3)) / (MELS - 1))
    for (const [offset, weight] of [
      [-1, 0.5],
      [0, 1],
      [1, 0.5],
    ] as const) {
      filters[band * SPECTRUM + centre + offset] = weight * 0.02
    }
  }
  return filters
}

function createRandom(): () => number {
  let state = 1
  return () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  }
}

function toInts(...numbers: readonly number[]): Buffer {
  return Buffer.from(Int32Array.from(numbers).buffer)
}

function toFloats(numbers: Float32Array): Buffer {
  return Buffer.from(numbers.buffer, numbers.byteOffset, numbers.byteLength)
}

/** Half floats, of numbers that are small and need no exact rounding. */
function toHalves(numbers: Float32Array): Buffer {
  const bits = new Uint32Array(numbers.buffer, numbers.byteOffset, numbers.length)
  const halves = Uint16Array.from(bits, (word) => {
    const exponent = ((word >>> 23) & 0xff) - 112
    const sign = (word >>> 16) & 0x8000
    return exponent <= 0 ? sign : sign | (exponent << 10) | ((word >>> 13) & 0x3ff)
  })
  return Buffer.from(halves.buffer)
}
