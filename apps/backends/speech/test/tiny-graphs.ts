import { mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { type OnnxGraph, toOnnxFile } from '@svc/test-kit'
import { encodeMetadata } from '../src/engines/sherpa/encode-metadata.ts'

/** Samples that the tiny voice makes of each sound. */
export const TINY_VOICE_SAMPLES = 256
export const TINY_VOICE_RATE = 16_000
const LETTERS = [' ', ...'abcdefghijklmnopqrstuvwxyz', "'"]
const BANDS = 80

/** A graph that makes a tone of each sound, in the form of a published Piper voice: `voice.onnx` and its JSON file. */
export async function writeTinyVoice(file: string, config: Readonly<Record<string, unknown>> = {}): Promise<void> {
  const symbols = ['_', '^', '$', ...LETTERS, ...'ɐɑæɔəɛɪʊʌðθŋʃʒɹɾɡɚɜˈˌːˑ.,!?']
  const ids = Object.fromEntries(symbols.map((symbol, id) => [symbol, [id]]))
  await writeFile(file, toOnnxFile(createVoiceGraph()))
  await writeFile(
    `${file}.json`,
    JSON.stringify({
      audio: { sample_rate: TINY_VOICE_RATE },
      espeak: { voice: 'en-us' },
      num_speakers: 1,
      speaker_id_map: {},
      phoneme_id_map: ids,
      ...config,
    }),
  )
}

function createVoiceGraph(): OnnxGraph {
  const wave = Float32Array.from({ length: TINY_VOICE_SAMPLES }, (_, index) => Math.sin(index / 4) / 128)
  return {
    nodes: [
      { op: 'Cast', inputs: ['input'], outputs: ['ids'], attributes: { to: 1 } },
      { op: 'Unsqueeze', inputs: ['ids', 'last'], outputs: ['column'] },
      { op: 'MatMul', inputs: ['column', 'wave'], outputs: ['rows'] },
      { op: 'Cast', inputs: ['input_lengths'], outputs: ['lengths'], attributes: { to: 1 } },
      { op: 'ReduceSum', inputs: ['lengths'], outputs: ['length'], attributes: { keepdims: 0 } },
      { op: 'ReduceSum', inputs: ['scales'], outputs: ['scale'], attributes: { keepdims: 0 } },
      { op: 'Mul', inputs: ['length', 'scale'], outputs: ['settings'] },
      { op: 'Mul', inputs: ['settings', 'zero'], outputs: ['nothing'] },
      { op: 'Add', inputs: ['rows', 'nothing'], outputs: ['sounds'] },
      { op: 'Reshape', inputs: ['sounds', 'shape'], outputs: ['output'] },
    ],
    tensors: [
      { name: 'last', dims: [1], data: BigInt64Array.of(2n) },
      { name: 'wave', dims: [1, TINY_VOICE_SAMPLES], data: wave },
      { name: 'zero', dims: [1], data: Float32Array.of(0) },
      { name: 'shape', dims: [4], data: BigInt64Array.of(1n, 1n, 1n, -1n) },
    ],
    inputs: [
      { name: 'input', kind: 'int64', dims: ['batch', 'phonemes'] },
      { name: 'input_lengths', kind: 'int64', dims: ['batch'] },
      { name: 'scales', kind: 'float32', dims: [3] },
    ],
    outputs: [{ name: 'output', kind: 'float32', dims: ['batch', 'time', 'one', 'samples'] }],
  }
}

/** A folder with a recogniser of random weights, in the form of NeMo's CTC models. It hears nonsense, always the same. */
export async function writeTinyRecogniser(
  folder: string,
  metadata: Readonly<Record<string, string>> = {
    model_type: 'EncDecCTCModelBPE',
    vocab_size: String(LETTERS.length),
    subsampling_factor: '4',
    normalize_type: 'per_feature',
  },
): Promise<void> {
  await mkdir(folder, { recursive: true })
  const graph = toOnnxFile(createRecogniserGraph())
  await writeFile(path.join(folder, 'model.onnx'), Buffer.concat([graph, encodeMetadata(metadata)]))
  const tokens = LETTERS.map((letter) => (letter === ' ' ? '▁' : 'aeiou'.includes(letter) ? `▁${letter}` : letter))
  await writeFile(path.join(folder, 'tokens.txt'), [...tokens, '<blk>'].map((token, id) => `${token} ${id}\n`).join(''))
}

function createRecogniserGraph(): OnnxGraph {
  const outputs = LETTERS.length + 1
  return {
    nodes: [
      {
        op: 'Conv',
        inputs: ['audio_signal', 'filter', 'bias'],
        outputs: ['scores'],
        attributes: { kernel_shape: [5], strides: [4], pads: [2, 2] },
      },
      { op: 'Cast', inputs: ['length'], outputs: ['lengths'], attributes: { to: 1 } },
      { op: 'ReduceSum', inputs: ['lengths'], outputs: ['all'], attributes: { keepdims: 0 } },
      { op: 'Mul', inputs: ['all', 'zero'], outputs: ['nothing'] },
      { op: 'Add', inputs: ['scores', 'nothing'], outputs: ['sums'] },
      { op: 'Transpose', inputs: ['sums'], outputs: ['rows'], attributes: { perm: [0, 2, 1] } },
      { op: 'LogSoftmax', inputs: ['rows'], outputs: ['logprobs'], attributes: { axis: -1 } },
    ],
    tensors: [
      { name: 'filter', dims: [outputs, BANDS, 5], data: createRandom(outputs * BANDS * 5) },
      { name: 'bias', dims: [outputs], data: new Float32Array(outputs) },
      { name: 'zero', dims: [1], data: Float32Array.of(0) },
    ],
    inputs: [
      { name: 'audio_signal', kind: 'float32', dims: ['batch', BANDS, 'frames'] },
      { name: 'length', kind: 'int64', dims: ['batch'] },
    ],
    outputs: [{ name: 'logprobs', kind: 'float32', dims: ['batch', 'steps', outputs] }],
  }
}

/** Numbers in -0.5 to 0.5, always the same. */
function createRandom(length: number): Float32Array {
  let state = 3
  return Float32Array.from({ length }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0
    return state / 2 ** 32 - 0.5
  })
}
