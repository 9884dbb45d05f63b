import { open } from 'node:fs/promises'
import path from 'node:path'
import { badModel } from '../../errors.ts'
import { createFileReader, type FileReader } from './file-reader.ts'
import { isKnownFileType, measureTensor } from './tensor-types.ts'

const MAGIC = 0x67676d6c
/** Length of the name that stands here in files of voice activity detection. */
const DETECTOR_NAME = 'silero-16k'
const NUMBER_NAMES = [
  ...['vocabulary', 'audioContext', 'audioState', 'audioHeads', 'audioLayers'],
  ...['textContext', 'textState', 'textHeads', 'textLayers', 'mels', 'fileType'],
] as const
/** The largest Whisper has 32 layers, 20 heads, a state of 1,280 and a vocabulary of 51,866. */
const RANGES: Readonly<Record<(typeof NUMBER_NAMES)[number], readonly [min: number, max: number]>> = {
  vocabulary: [51_864, 200_000],
  audioContext: [1, 3000],
  audioState: [1, 8192],
  audioHeads: [1, 256],
  audioLayers: [1, 256],
  textContext: [1, 4096],
  textState: [1, 8192],
  textHeads: [1, 256],
  textLayers: [1, 256],
  mels: [1, 256],
  fileType: [0, 2999],
}
/** Numbers of a half spectrum, over which the filters go. */
const SPECTRUM = 201
const MAX_ENTRY_BYTES = 1024
const MAX_NAME_BYTES = 256
const MAX_DIMENSIONS = 3

type Numbers = Readonly<Record<(typeof NUMBER_NAMES)[number], number>>

/**
 * Checks a ggml file of Whisper from its first byte to its last, without reading the weights. The engine aborts, or takes
 * all memory, on files that this refuses.
 *
 * @throws SpeechError `unprocessable`, which names the file and the fault
 */
export async function checkWhisperFile(place: string, { signal }: { readonly signal: AbortSignal }): Promise<void> {
  const name = path.basename(place)
  const file = await open(place)
  try {
    const reader = createFileReader(file, (await file.stat()).size)
    const fault = await findFault(reader, signal)
    if (fault !== undefined) throw badModel(`${name}: ${fault}`)
  } finally {
    await file.close()
  }
}

async function findFault(reader: FileReader, signal: AbortSignal): Promise<string | undefined> {
  const magic = await readNumber(reader)
  if (magic !== MAGIC) return 'not a ggml file of Whisper'
  const numbers = await readNumbers(reader)
  if (typeof numbers === 'string') return numbers
  return (
    (await skipFilters(reader, numbers)) ??
    (await walkVocabulary(reader, numbers, signal)) ??
    (await walkTensors(reader, numbers, signal))
  )
}

async function readNumber(reader: FileReader): Promise<number | undefined> {
  return (await reader.read(4))?.readInt32LE()
}

async function readNumbers(reader: FileReader): Promise<Numbers | string> {
  const bytes = await reader.read(4 * NUMBER_NAMES.length)
  if (bytes === undefined) return 'the file ends in its header'
  if (bytes.toString('latin1', 4, 4 + DETECTOR_NAME.length) === DETECTOR_NAME) {
    return 'a model of voice activity detection, which transcribes nothing'
  }
  const numbers = Object.fromEntries(NUMBER_NAMES.map((name, index) => [name, bytes.readInt32LE(4 * index)])) as Numbers
  for (const name of NUMBER_NAMES) {
    const [min, max] = RANGES[name]
    const value = numbers[name]
    if (value < min || value > max) return `the header says ${name} ${value}, which is not ${min} to ${max}`
  }
  if (numbers.audioState % numbers.audioHeads !== 0 || numbers.textState % numbers.textHeads !== 0) {
    return 'the state of the header does not divide by the number of heads'
  }
  if (!isKnownFileType(numbers.fileType)) return `the weights are of the unknown type ${numbers.fileType}`
  return numbers
}

async function skipFilters(reader: FileReader, { mels }: Numbers): Promise<string | undefined> {
  const [rows, columns] = [await readNumber(reader), await readNumber(reader)]
  if (rows !== mels || columns !== SPECTRUM) return `the filters are ${rows} by ${columns}, not ${mels} by ${SPECTRUM}`
  return reader.skip(4 * rows * columns) ? undefined : 'the file ends in its filters'
}

async function walkVocabulary(
  reader: FileReader,
  { vocabulary }: Numbers,
  signal: AbortSignal,
): Promise<string | undefined> {
  const count = await readNumber(reader)
  if (count === undefined || count < 1 || count > vocabulary) {
    return `the vocabulary has ${count ?? 'no'} entries, the header says ${vocabulary}`
  }
  for (let index = 0; index < count; index += 1) {
    signal.throwIfAborted()
    const length = await readNumber(reader)
    if (length === undefined) return 'the file ends in its vocabulary'
    if (length < 0 || length > MAX_ENTRY_BYTES) return `an entry of the vocabulary has a length of ${length} bytes`
    if (!reader.skip(length)) return 'the file ends in its vocabulary'
  }
  return undefined
}

async function walkTensors(reader: FileReader, numbers: Numbers, signal: AbortSignal): Promise<string | undefined> {
  const missing = new Map(listShapes(numbers))
  while (reader.position < reader.size) {
    signal.throwIfAborted()
    const tensor = await readTensor(reader)
    if (typeof tensor === 'string') return tensor
    const wanted = missing.get(tensor.name)
    if (wanted !== undefined && wanted !== tensor.shape.join('x')) {
      return `the weights ${tensor.name} are ${tensor.shape.join('x')}, not ${wanted}`
    }
    missing.delete(tensor.name)
  }
  const [first] = missing.keys()
  return first === undefined ? undefined : `the weights ${first} are missing`
}

async function readTensor(
  reader: FileReader,
): Promise<{ readonly name: string; readonly shape: readonly number[] } | string> {
  const head = await reader.read(12)
  if (head === undefined) return 'the file ends in its weights'
  const [dimensions, nameLength, type] = [head.readInt32LE(0), head.readInt32LE(4), head.readInt32LE(8)]
  if (dimensions < 1 || dimensions > MAX_DIMENSIONS) return `weights have ${dimensions} dimensions`
  if (nameLength < 1 || nameLength > MAX_NAME_BYTES) return `the name of weights has a length of ${nameLength} bytes`
  const sizes = Buffer.from((await reader.read(4 * dimensions)) ?? [])
  const shape = Array.from({ length: sizes.length / 4 }, (_, index) => sizes.readInt32LE(4 * index))
  const name = (await reader.read(nameLength))?.toString('latin1')
  if (shape.length < dimensions || name === undefined) return 'the file ends in its weights'
  const shown = JSON.stringify(name)
  if (shape.some((size) => size < 1)) return `the weights ${shown} have a size below 1`
  const bytes = measureTensor(
    type,
    shape[0] ?? 1,
    shape.reduce((product, size) => product * size, 1),
  )
  if (bytes === undefined) return `the weights ${shown} are of the unknown type ${type}`
  return reader.skip(bytes) ? { name, shape } : `the file ends in the weights ${shown}`
}

/** Weights by whose sizes the engine allocates memory, in the order of the file: the fastest dimension first. */
function listShapes(numbers: Numbers): readonly (readonly [string, string])[] {
  const { audioState, audioContext, audioLayers, textState, textContext, textLayers, vocabulary, mels } = numbers
  const layers = (side: string, count: number, state: number) =>
    Array.from(
      { length: count },
      (_, index) => [`${side}.blocks.${index}.attn.query.weight`, `${state}x${state}`] as const,
    )
  return [
    ['encoder.positional_embedding', `${audioState}x${audioContext}`],
    ['encoder.conv1.weight', `3x${mels}x${audioState}`],
    ['encoder.conv2.weight', `3x${audioState}x${audioState}`],
    ['decoder.positional_embedding', `${textState}x${textContext}`],
    ['decoder.token_embedding.weight', `${textState}x${vocabulary}`],
    ...layers('encoder', audioLayers, audioState),
    ...layers('decoder', textLayers, textState),
  ]
}
