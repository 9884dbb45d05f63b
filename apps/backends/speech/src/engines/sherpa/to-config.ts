import { readNumber } from '@svc/backend-kit/options'
import type { SherpaModel } from './find-model.ts'
import type { PiperVoice } from './prepare-piper.ts'
import type { SherpaLoad } from './protocol.ts'

/** Settings that all kinds share. */
export interface EngineSettings {
  readonly threads: number
  readonly options: ReadonlyMap<string, string>
}

type Kind<Name extends SherpaModel['kind']> = Extract<SherpaModel, { readonly kind: Name }>

const PROVIDER = 'cpu'
/** Features of a recogniser: samples a second, and bands of the spectrum. */
const FEATURES = { sampleRate: 16_000, featureDim: 80 } as const

/** The configuration of a recogniser. */
export function toRecogniserLoad(
  { type, parts, tokens }: Kind<'recogniser'>,
  { threads, options }: EngineSettings,
): SherpaLoad {
  const language = options.get('language') ?? ''
  const extra: Readonly<Record<string, unknown>> =
    type === 'whisper'
      ? { language, task: options.get('task') ?? 'transcribe', tailPaddings: -1 }
      : type === 'senseVoice'
        ? { language, useInverseTextNormalization: 1 }
        : {}
  return {
    kind: 'recogniser',
    config: {
      featConfig: FEATURES,
      modelConfig: { [type]: { ...parts, ...extra }, tokens, numThreads: threads, provider: PROVIDER, debug: 0 },
      decodingMethod: 'greedy_search',
    },
  }
}

/** The configuration of a diarization. */
export function toDiarizerLoad({ segmentation, embedding }: Kind<'diarizer'>, { threads }: EngineSettings): SherpaLoad {
  const shared = { numThreads: threads, provider: PROVIDER, debug: 0 }
  return {
    kind: 'diarizer',
    config: {
      segmentation: { pyannote: { model: segmentation }, ...shared },
      embedding: { model: embedding, ...shared },
      clustering: { numClusters: -1, threshold: 0.5 },
      minDurationOn: 0.3,
      minDurationOff: 0.5,
    },
  }
}

/** Files of a voice in the form that the engine reads. */
export interface VoiceFiles {
  readonly model: string
  readonly tokens: string
  readonly lexicon: string
  /** Folder of espeak-ng's data; empty for a voice with a lexicon. */
  readonly espeakData: string
  /** For a Kokoro model. */
  readonly voices?: string
}

/** The configuration of a voice. The options `noise_scale`, `noise_w` and `length_scale` come before those of its file. */
export function toVoiceLoad(
  files: VoiceFiles,
  { threads, options }: EngineSettings,
  usual: Pick<PiperVoice, 'noiseScale' | 'noiseWidth' | 'lengthScale'>,
): SherpaLoad {
  const number = (name: string, otherwise: number): number =>
    readNumber(options, [name], { min: 0, max: 10, otherwise })
  const shared = {
    model: files.model,
    tokens: files.tokens,
    lexicon: files.lexicon,
    dataDir: files.espeakData,
    lengthScale: number('length_scale', usual.lengthScale),
  }
  const vits = {
    ...shared,
    noiseScale: number('noise_scale', usual.noiseScale),
    noiseScaleW: number('noise_w', usual.noiseWidth),
  }
  const own = files.voices === undefined ? { vits } : { kokoro: { ...shared, voices: files.voices } }
  return {
    kind: 'voice',
    config: { model: { ...own, numThreads: threads, provider: PROVIDER, debug: 0 }, maxNumSentences: 1 },
  }
}
