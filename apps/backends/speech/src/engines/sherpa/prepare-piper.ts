import { constants } from 'node:fs'
import { appendFile, copyFile, readFile, stat, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { badModel } from '../../errors.ts'
import { readOnnxHeader } from '../../onnx/read-onnx-header.ts'
import { encodeMetadata } from './encode-metadata.ts'

/** Facts in the JSON file of a Piper voice. */
export interface PiperVoice {
  /** Samples a second. */
  readonly sampleRate: number
  /** Voice of espeak-ng whose sounds it speaks, such as `en-us`. */
  readonly espeakVoice: string
  /** Names of the speakers in the order of their numbers; empty for a single one. */
  readonly speakers: readonly string[]
  readonly speakerCount: number
  readonly noiseScale: number
  readonly noiseWidth: number
  readonly lengthScale: number
  /** Lines of `symbol id`. */
  readonly tokens: string
}

const MAX_JSON_BYTES = 4 * 1024 * 1024
const INPUTS = ['input', 'input_lengths', 'scales']
const MAX_SPEAKERS = 10_000

/** Reads `voice.onnx.json`, and checks the graph beside it. @throws SpeechError `unprocessable` */
export async function readPiperVoice(file: string): Promise<PiperVoice> {
  const { inputs } = await readOnnxHeader(file)
  const name = path.basename(file)
  if (!INPUTS.every((each) => inputs.includes(each))) throw badModel(`${name}: not the graph of a Piper voice`)
  return toPiperVoice(await readConfig(`${file}.json`), `${name}.json`)
}

/**
 * Writes a Piper voice in the form that sherpa-onnx loads: `model.onnx`, the published graph with more metadata, and
 * `tokens.txt`.
 *
 * @param folder exists, and is empty
 */
export async function preparePiper(file: string, voice: PiperVoice, folder: string): Promise<void> {
  const model = path.join(folder, 'model.onnx')
  await copyFile(file, model, constants.COPYFILE_FICLONE)
  const metadata = {
    model_type: 'vits',
    comment: 'piper',
    language: voice.espeakVoice,
    voice: voice.espeakVoice,
    has_espeak: '1',
    n_speakers: String(voice.speakerCount),
    sample_rate: String(voice.sampleRate),
    add_blank: '1',
  }
  await appendFile(model, encodeMetadata(metadata))
  await writeFile(path.join(folder, 'tokens.txt'), voice.tokens)
}

async function readConfig(file: string): Promise<unknown> {
  const name = path.basename(file)
  const found = await stat(file).catch(() => undefined)
  if (found?.isFile() !== true) throw badModel(`${name}: there is no such file; a Piper voice has it beside its graph`)
  if (found.size > MAX_JSON_BYTES) throw badModel(`${name}: too large`)
  try {
    return JSON.parse(await readFile(file, 'utf8'))
  } catch (error) {
    throw badModel(`${name}: not JSON`, error)
  }
}

function toPiperVoice(config: unknown, name: string): PiperVoice {
  const {
    audio,
    espeak,
    inference,
    phoneme_id_map: ids,
    num_speakers: count,
    speaker_id_map: speakers,
  } = asObject(config)
  const sampleRate = asObject(audio).sample_rate
  if (!isIntegerIn(sampleRate, 4000, 192_000)) throw badModel(`${name}: audio.sample_rate must be 4000 to 192000`)
  const espeakVoice = asObject(espeak).voice
  if (typeof espeakVoice !== 'string' || !/^[\w+-]{1,64}$/.test(espeakVoice)) {
    throw badModel(`${name}: espeak.voice must name a voice of espeak-ng`)
  }
  const speakerCount = count ?? 1
  if (!isIntegerIn(speakerCount, 1, MAX_SPEAKERS)) throw badModel(`${name}: num_speakers must be 1 to ${MAX_SPEAKERS}`)
  const { noise_scale, length_scale, noise_w } = asObject(inference)
  return {
    sampleRate,
    espeakVoice,
    speakerCount,
    speakers: toSpeakers(asObject(speakers), speakerCount),
    noiseScale: toNumber(noise_scale, 0.667),
    noiseWidth: toNumber(noise_w, 0.8),
    lengthScale: toNumber(length_scale, 1),
    tokens: toTokens(asObject(ids), name),
  }
}

function toSpeakers(map: Readonly<Record<string, unknown>>, count: number): readonly string[] {
  const names = new Map(Object.entries(map).map(([name, id]) => [id, name]))
  return names.size === count ? Array.from({ length: count }, (_, id) => names.get(id) ?? `${id}`) : []
}

function toTokens(ids: Readonly<Record<string, unknown>>, name: string): string {
  const lines = Object.entries(ids).map(([symbol, value]) => {
    const [id] = Array.isArray(value) ? value : []
    if (!isIntegerIn(id, 0, 100_000) || /[\n\r]/.test(symbol)) throw badModel(`${name}: phoneme_id_map is damaged`)
    return `${symbol} ${id}\n`
  })
  if (lines.length === 0) throw badModel(`${name}: phoneme_id_map is missing`)
  return lines.join('')
}

function asObject(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? { ...value } : {}
}

function isIntegerIn(value: unknown, min: number, max: number): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value >= min && value <= max
}

function toNumber(value: unknown, otherwise: number): number {
  return typeof value === 'number' && value > 0 && value <= 10 ? value : otherwise
}
