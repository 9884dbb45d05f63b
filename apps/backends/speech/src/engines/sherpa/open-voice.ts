import path from 'node:path'
import { badModel } from '../../errors.ts'
import { readOnnxHeader } from '../../onnx/read-onnx-header.ts'
import type { Synthesizer, Voice } from '../../speech-model.ts'
import type { EnginePool } from '../child/engine-pool.ts'
import type { LoadSettings } from '../engine.ts'
import { readVoiceAliases } from '../voice-aliases.ts'
import { findEspeakData } from './espeak-data.ts'
import type { SherpaModel } from './find-model.ts'
import { preparePiper, readPiperVoice } from './prepare-piper.ts'
import type { SherpaLoad, VoiceFacts } from './protocol.ts'
import { createSynthesizer } from './speak.ts'
import { toVoiceLoad } from './to-config.ts'
import { makeWorkFolder } from './work-folder.ts'

/** A voice that speaks. */
export interface VoiceModel {
  readonly pool: EnginePool
  readonly synthesizer: Synthesizer
  close(): Promise<void>
}

type VoiceFilesModel = Extract<SherpaModel, { readonly kind: 'piper' | 'vits' | 'kokoro' }>
type Open = (load: SherpaLoad) => Promise<EnginePool>

/** A graph may claim any number of speakers. */
const MAX_SPEAKERS = 10_000
const RATES = { min: 4000, max: 192_000 } as const
const USUAL = { noiseScale: 0.667, noiseWidth: 0.8, lengthScale: 1 } as const

/** Opens a voice. A Piper voice is copied in the form that the engine reads, until the model is closed. */
export async function openVoice(model: VoiceFilesModel, settings: LoadSettings, open: Open): Promise<VoiceModel> {
  const beside = path.dirname(model.model)
  if (model.kind !== 'piper') {
    const needsData = model.kind === 'kokoro' || model.lexicon === ''
    const espeakData = needsData ? await findEspeakData(settings.options.get('espeak_data'), beside) : ''
    const { metadata } = await readOnnxHeader(model.model)
    const pool = await open(toVoiceLoad({ ...model, espeakData }, settings, USUAL))
    const names = (metadata.get('speaker_names') ?? '').split(',').filter((name) => name !== '')
    const language = (metadata.get('voice') ?? metadata.get('language') ?? '').slice(0, 2).toLowerCase()
    return toVoiceModel(pool, { settings, names, language, close: pool.close })
  }
  const voice = await readPiperVoice(model.model)
  const espeakData = await findEspeakData(settings.options.get('espeak_data'), beside)
  const folder = await makeWorkFolder()
  try {
    await preparePiper(model.model, voice, folder.path)
    const files = { model: folder.join('model.onnx'), tokens: folder.join('tokens.txt'), lexicon: '', espeakData }
    const pool = await open(toVoiceLoad(files, settings, voice))
    const close = async (): Promise<void> => {
      await pool.close()
      await folder.close()
    }
    const names = voice.speakers.length > 0 ? voice.speakers : [path.basename(model.model, '.onnx')]
    return toVoiceModel(pool, { settings, names, language: voice.espeakVoice.slice(0, 2), close })
  } catch (error) {
    await folder.close()
    throw error
  }
}

interface VoiceParts {
  readonly settings: LoadSettings
  /** Names of the speakers. Where there are too few, speakers are named by their numbers. */
  readonly names: readonly string[]
  readonly language: string
  close(): Promise<void>
}

async function toVoiceModel(pool: EnginePool, { settings, names, language, close }: VoiceParts): Promise<VoiceModel> {
  try {
    // The other side is a file of this package: its facts match the type.
    const { sampleRate, speakers } = pool.facts as VoiceFacts
    if (speakers > MAX_SPEAKERS) throw badModel(`the voice has more than ${MAX_SPEAKERS} speakers`)
    if (!(sampleRate >= RATES.min && sampleRate <= RATES.max)) {
      throw badModel(`the voice has ${sampleRate} samples a second`)
    }
    const voices = Array.from(
      { length: Math.max(1, speakers) },
      (_, index): Voice => ({ name: names.length >= speakers ? (names[index] ?? `${index}`) : `${index}`, language }),
    )
    const aliases = readVoiceAliases(settings.options, voices)
    return { pool, synthesizer: createSynthesizer({ pool, sampleRate, voices, aliases }), close }
  } catch (error) {
    await close()
    throw error
  }
}
