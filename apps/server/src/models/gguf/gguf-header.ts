import { ByteSource, GgufFault } from './byte-source.ts'
import { type GgufMetadata, readMetadata } from './metadata.ts'
import { blockValues, tensorBytes } from './tensor-types.ts'

/** What the header of a GGUF file tells about its model. */
export interface GgufSummary {
  /** Family of the network, such as `llama` or `bert`. */
  readonly architecture: string
  /** What the file is when it is no model: `adapter`, `mmproj`, `imatrix`. */
  readonly type?: string | undefined
  /** Name its maker gave it. */
  readonly name?: string | undefined
  /** Tokens it was trained for. */
  readonly contextLength?: number | undefined
  /** Number of the quantisation in the file format. */
  readonly fileType?: number | undefined
  /** How it joins token vectors: 0 none, 1 mean, 2 first, 3 last, 4 rank. */
  readonly poolingType?: number | undefined
  readonly hasChatTemplate: boolean
  readonly tensorCount: number
  readonly sizeBytes: number
}

/** Header or the reason why the file cannot be used. */
export type GgufResult =
  | { readonly ok: true; readonly summary: GgufSummary }
  | { readonly ok: false; readonly reason: string }

/** Most of a file that is read for its header. */
const MAX_HEADER_BYTES = 64 * 1024 * 1024

const MAGIC = 0x46554747
const MAGIC_BIG_ENDIAN = 0x47475546
const MAX_ENTRIES = 1_000_000
const MAX_DIMENSIONS = 8
const MAX_NAME_BYTES = 1024
const DEFAULT_ALIGNMENT = 32

/**
 * Reads the header of an open GGUF file and checks that what it announces fits into the file, so that a damaged file
 * is refused with a reason before a backend opens it. Blocks while it reads; weights are never touched.
 */
export function readGgufHeader(
  descriptor: number,
  fileBytes: number,
  options: { readonly maxHeaderBytes?: number | undefined } = {},
): GgufResult {
  try {
    const maxBytes = options.maxHeaderBytes ?? MAX_HEADER_BYTES
    return { ok: true, summary: read(new ByteSource(descriptor, { fileBytes, maxBytes }), fileBytes) }
  } catch (error) {
    if (error instanceof GgufFault) return { ok: false, reason: error.message }
    throw error
  }
}

function read(source: ByteSource, sizeBytes: number): GgufSummary {
  readVersion(source)
  const tensorCount = source.uint64()
  const entryCount = source.uint64()
  // 24 and 13 bytes are the least a tensor and an entry take.
  if (tensorCount > MAX_ENTRIES || tensorCount * 24 > sizeBytes)
    throw new GgufFault('announces more tensors than it holds')
  if (entryCount > MAX_ENTRIES || entryCount * 13 > sizeBytes)
    throw new GgufFault('announces more values than it holds')
  const metadata = readMetadata(source, entryCount)
  checkTensors(source, { tensorCount, alignment: alignmentOf(metadata) })
  return summarise(metadata, tensorCount, sizeBytes)
}

function readVersion(source: ByteSource): void {
  if (source.left < 24) throw new GgufFault('is too short for a GGUF file')
  const magic = source.uint32()
  if (magic === MAGIC_BIG_ENDIAN) throw new GgufFault('is a big-endian GGUF file')
  if (magic !== MAGIC) throw new GgufFault('is no GGUF file')
  const version = source.uint32()
  if (version !== 2 && version !== 3) throw new GgufFault(`is of the GGUF version ${version}, known are 2 and 3`)
}

function alignmentOf(metadata: GgufMetadata): number {
  const alignment = metadata.get('general.alignment') ?? DEFAULT_ALIGNMENT
  if (typeof alignment !== 'number' || alignment < 1 || !Number.isInteger(Math.log2(alignment))) {
    throw new GgufFault('has an alignment that is no power of two')
  }
  return alignment
}

/** Every tensor must lie inside the file. */
function checkTensors(source: ByteSource, options: { readonly tensorCount: number; readonly alignment: number }): void {
  const { tensorCount, alignment } = options
  let end = 0
  for (let index = 0; index < tensorCount; index += 1) end = Math.max(end, readTensorEnd(source, alignment))
  if (tensorCount === 0) return
  const start = Math.ceil(source.position / alignment) * alignment
  if (start + end > source.position + source.left) throw new GgufFault('is cut off: its weights end before they should')
}

/** Where a tensor ends, from the start of the weights. */
function readTensorEnd(source: ByteSource, alignment: number): number {
  const name = source.text(MAX_NAME_BYTES)
  const dimensions = source.uint32()
  if (dimensions > MAX_DIMENSIONS) throw new GgufFault('has a tensor with too many dimensions')
  let values = 1
  let row = 1
  for (let index = 0; index < dimensions; index += 1) {
    const length = source.uint64()
    if (index === 0) row = length
    values *= length
  }
  const type = source.uint32()
  const offset = source.uint64()
  if (!Number.isSafeInteger(values) || row % blockValues(type) !== 0 || offset % alignment !== 0) {
    throw new GgufFault(`has a tensor that cannot be: ${JSON.stringify(name.slice(0, 80))}`)
  }
  return offset + (tensorBytes(type, values) ?? 0)
}

function summarise(metadata: GgufMetadata, tensorCount: number, sizeBytes: number): GgufSummary {
  const architecture = textOf(metadata, 'general.architecture')
  if (architecture === undefined || architecture === '') throw new GgufFault('does not name its architecture')
  return {
    architecture,
    type: textOf(metadata, 'general.type'),
    name: textOf(metadata, 'general.name'),
    contextLength: positive(numberOf(metadata, `${architecture}.context_length`)),
    fileType: numberOf(metadata, 'general.file_type'),
    poolingType: numberOf(metadata, `${architecture}.pooling_type`),
    hasChatTemplate: metadata.has('tokenizer.chat_template') && metadata.get('tokenizer.chat_template') !== '',
    tensorCount,
    sizeBytes,
  }
}

function positive(value: number | undefined): number | undefined {
  return value !== undefined && Number.isInteger(value) && value > 0 ? Math.min(value, 2 ** 31 - 1) : undefined
}

function textOf(metadata: GgufMetadata, key: string): string | undefined {
  const value = metadata.get(key)
  return typeof value === 'string' ? value : undefined
}

function numberOf(metadata: GgufMetadata, key: string): number | undefined {
  const value = metadata.get(key)
  return typeof value === 'number' ? value : undefined
}
