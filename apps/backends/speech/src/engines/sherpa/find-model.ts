import { readdir, stat } from 'node:fs/promises'
import path from 'node:path'
import { badModel } from '../../errors.ts'
import { readOnnxHeader } from '../../onnx/read-onnx-header.ts'

/** Types of recognisers, in the words of sherpa-onnx. */
export const RECOGNISERS = [
  ...(['transducer', 'paraformer', 'zipformerCtc', 'wenetCtc', 'nemoCtc'] as const),
  ...(['whisper', 'moonshine', 'senseVoice', 'tdnn'] as const),
] as const
export type RecogniserType = (typeof RECOGNISERS)[number]

/** A model that sherpa-onnx runs, found by its files. Paths are absolute. */
export type SherpaModel =
  /** A Piper voice as published, with its JSON file beside it. */
  | { readonly kind: 'piper'; readonly model: string }
  | { readonly kind: 'vits'; readonly model: string; readonly tokens: string; readonly lexicon: string }
  | {
      readonly kind: 'kokoro'
      readonly model: string
      readonly tokens: string
      readonly voices: string
      readonly lexicon: string
    }
  | {
      readonly kind: 'recogniser'
      readonly type: RecogniserType
      /** Files by their part, such as `encoder`. */
      readonly parts: Readonly<Record<string, string>>
      readonly tokens: string
    }
  | { readonly kind: 'diarizer'; readonly segmentation: string; readonly embedding: string }

/** Recognisers of one graph: words in `model_type` of their metadata, or else in the names of file and folder. */
const SINGLE: readonly (readonly [RegExp, RecogniserType])[] = [
  [/sense.?voice/i, 'senseVoice'],
  [/paraformer/i, 'paraformer'],
  [/EncDec.*CTC|nemo/i, 'nemoCtc'],
  [/zipformer2?_?-?ctc|zipformer/i, 'zipformerCtc'],
  [/wenet/i, 'wenetCtc'],
  [/tdnn/i, 'tdnn'],
]
const MAX_FILES = 10_000

/**
 * Finds the model of a file or folder. Of several weights, those of 8 bits are taken.
 *
 * @param wanted type of the recogniser, where the files do not tell it
 * @returns undefined for anything else
 */
export async function findSherpaModel(place: string, wanted?: RecogniserType): Promise<SherpaModel | undefined> {
  const found = await stat(place).catch(() => undefined)
  if (found?.isFile() === true) return await findPiper(place)
  if (found?.isDirectory() !== true) return undefined
  const names = (await readdir(place)).slice(0, MAX_FILES)
  const files = createFiles(place, names)
  return (await findVoice(files)) ?? findDiarizer(files) ?? (await findRecogniser(files, wanted))
}

interface Files {
  readonly folder: string
  readonly names: readonly string[]
  /** Path of the ONNX file that matches, the one of 8 bits first. */
  onnx(pattern: RegExp): string | undefined
  /** Path of a file, or an empty text. */
  other(pattern: RegExp): string
}

function createFiles(folder: string, names: readonly string[]): Files {
  const graphs = names.filter((name) => name.endsWith('.onnx')).sort()
  return {
    folder,
    names,
    onnx: (pattern) => {
      const matching = graphs.filter((name) => pattern.test(name))
      const name = matching.find((each) => each.includes('int8')) ?? matching[0]
      return name === undefined ? undefined : path.join(folder, name)
    },
    other: (pattern) => {
      const name = names.find((each) => pattern.test(each))
      return name === undefined ? '' : path.join(folder, name)
    },
  }
}

async function findPiper(file: string): Promise<SherpaModel | undefined> {
  if (!file.endsWith('.onnx')) return undefined
  const config = await stat(`${file}.json`).catch(() => undefined)
  return config?.isFile() === true ? { kind: 'piper', model: file } : undefined
}

async function findVoice(files: Files): Promise<SherpaModel | undefined> {
  const tokens = files.other(/^tokens\.txt$/)
  const model = files.onnx(/./)
  if (model === undefined) return undefined
  const voices = files.other(/^voices\.bin$/)
  if (voices !== '' && tokens !== '') {
    const lexicons = files.names.filter((name) => /^lexicon.*\.txt$/.test(name)).sort()
    const lexicon = lexicons.map((name) => path.join(files.folder, name)).join(',')
    return { kind: 'kokoro', model, tokens, voices, lexicon }
  }
  const lexicon = files.other(/^lexicon\.txt$/)
  const isVits = tokens !== '' && (lexicon !== '' || files.names.includes('espeak-ng-data'))
  if (isVits) return { kind: 'vits', model, tokens, lexicon }
  const published = files.names.find((name) => files.names.includes(`${name}.json`) && name.endsWith('.onnx'))
  return published === undefined ? undefined : await findPiper(path.join(files.folder, published))
}

function findDiarizer(files: Files): SherpaModel | undefined {
  const segmentation = files.onnx(/^segmentation/)
  const embedding = files.onnx(/^embedding/)
  if (segmentation === undefined || embedding === undefined) return undefined
  return { kind: 'diarizer', segmentation, embedding }
}

async function findRecogniser(files: Files, wanted: RecogniserType | undefined): Promise<SherpaModel | undefined> {
  const tokens = files.other(/tokens\.txt$/)
  if (tokens === '') return undefined
  const severalParts = findParts(files)
  if (severalParts !== undefined) return { kind: 'recogniser', tokens, ...severalParts }
  const model = files.onnx(/./)
  if (model === undefined) return undefined
  const type = wanted ?? (await findSingleType(model))
  return type === undefined ? undefined : { kind: 'recogniser', type, parts: { model }, tokens }
}

function findParts(files: Files): { type: RecogniserType; parts: Record<string, string> } | undefined {
  const [encoder, decoder, joiner] = [files.onnx(/encoder/), files.onnx(/decoder/), files.onnx(/joiner/)]
  if (encoder !== undefined && decoder !== undefined) {
    if (joiner !== undefined) return { type: 'transducer', parts: { encoder, decoder, joiner } }
    return { type: 'whisper', parts: { encoder, decoder } }
  }
  const preprocessor = files.onnx(/^preprocess/)
  const encode = files.onnx(/^encode/)
  const uncachedDecoder = files.onnx(/^uncached_decode/)
  const cachedDecoder = files.onnx(/^cached_decode/)
  if (preprocessor === undefined || encode === undefined) return undefined
  if (uncachedDecoder === undefined || cachedDecoder === undefined) return undefined
  return { type: 'moonshine', parts: { preprocessor, encoder: encode, uncachedDecoder, cachedDecoder } }
}

async function findSingleType(model: string): Promise<RecogniserType | undefined> {
  const { metadata } = await readOnnxHeader(model)
  const name = metadata.get('model_type') ?? ''
  const match = (text: string): RecogniserType | undefined => SINGLE.find(([pattern]) => pattern.test(text))?.[1]
  return match(name) ?? match(`${path.basename(path.dirname(model))}/${path.basename(model)}`)
}

/** Metadata without which the engine ends its process. */
const NEEDED: Readonly<Partial<Record<SherpaModel['kind'] | RecogniserType, readonly string[]>>> = {
  vits: ['sample_rate', 'n_speakers'],
  kokoro: ['sample_rate', 'n_speakers'],
  nemoCtc: ['vocab_size', 'subsampling_factor'],
  paraformer: ['vocab_size', 'lfr_window_size', 'lfr_window_shift'],
  senseVoice: ['vocab_size', 'lfr_window_size', 'lfr_window_shift'],
}

/** Checks every graph of a model, before the engine reads it. @throws SpeechError `unprocessable` */
export async function checkSherpaModel(model: SherpaModel): Promise<void> {
  const needed = NEEDED[model.kind === 'recogniser' ? model.type : model.kind] ?? []
  for (const file of listGraphs(model)) {
    const { metadata } = await readOnnxHeader(file)
    const missing = needed.filter((key) => !metadata.has(key))
    if (missing.length > 0) throw badModel(`${path.basename(file)}: its metadata lack ${missing.join(', ')}`)
  }
}

/** Lists the files of graphs. */
export function listGraphs(model: SherpaModel): readonly string[] {
  switch (model.kind) {
    case 'recogniser':
      return Object.values(model.parts)
    case 'diarizer':
      return [model.segmentation, model.embedding]
    default:
      return [model.model]
  }
}
