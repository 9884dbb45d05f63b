import { stat } from 'node:fs/promises'
import path from 'node:path'
import { createLog } from '@svc/backend-kit'
import { readSwitch, readWord } from '@svc/backend-kit/options'
import { badModel } from '../../errors.ts'
import type { SpeechModel } from '../../speech-model.ts'
import { type EnginePool, openEnginePool } from '../child/engine-pool.ts'
import { findProgramFile } from '../child/program-file.ts'
import type { Engine, LoadSettings } from '../engine.ts'
import { createDiarizer } from './diarize.ts'
import { checkSherpaModel, findSherpaModel, listGraphs, RECOGNISERS, type SherpaModel } from './find-model.ts'
import { checkInstalled } from './installed.ts'
import { openVoice } from './open-voice.ts'
import type { SherpaLoad } from './protocol.ts'
import { toDiarizerLoad, toRecogniserLoad } from './to-config.ts'
import { createTranscriber } from './transcribe.ts'

const LOAD_TIMEOUT_MS = 180_000
/** A larger model has no spare process, unless the option asks for it. */
const SPARE_LIMIT = 256 * 1024 * 1024
/** Kinds and recognisers that were never run with published weights. */
const UNTESTED: ReadonlySet<string> = new Set<string>([
  ...['kokoro', 'diarizer', 'transducer', 'paraformer', 'zipformerCtc', 'wenetCtc'],
  ...['whisper', 'moonshine', 'senseVoice', 'tdnn'],
])

/** Runs voices, recognisers and diarizations over sherpa-onnx, which is installed beside the server. */
export const sherpaEngine: Engine = {
  options: [
    'spare',
    'model_type',
    'language',
    'task',
    'espeak_data',
    'voice_aliases',
    'noise_scale',
    'noise_w',
    'length_scale',
  ],
  recognizes: async (place) => {
    const model = await findSherpaModel(place).catch(() => undefined)
    return model !== undefined
  },
  load: async (settings, { signal }): Promise<SpeechModel> => {
    checkInstalled()
    const model = await findSherpaModel(settings.path, readWord(settings.options, ['model_type'], RECOGNISERS))
    if (model === undefined) throw badModel(`${path.basename(settings.path)}: not a model that sherpa-onnx runs`)
    await checkSherpaModel(model)
    const kind = model.kind === 'recogniser' ? model.type : model.kind
    if (UNTESTED.has(kind)) createLog(process.stderr).warn(`models of the type ${kind} are untested`)
    return await openModel(model, settings, signal)
  },
}

async function openModel(model: SherpaModel, settings: LoadSettings, signal: AbortSignal): Promise<SpeechModel> {
  const spare = await findSpare(model, settings)
  const open = async (load: SherpaLoad): Promise<EnginePool> =>
    await openEnginePool({
      program: {
        file: findProgramFile('sherpa/sherpa-process.mjs'),
        settings: load,
        memoryLimit: settings.memoryLimit,
        loadTimeoutMs: LOAD_TIMEOUT_MS,
      },
      parallel: settings.parallel,
      maxWaiting: settings.maxWaiting,
      spare,
      signal,
    })
  if (model.kind === 'recogniser') {
    const pool = await open(toRecogniserLoad(model, settings))
    return toModel(pool, { transcriber: createTranscriber(pool), close: pool.close })
  }
  if (model.kind === 'diarizer') {
    const pool = await open(toDiarizerLoad(model, settings))
    return toModel(pool, { diarizer: createDiarizer(pool), close: pool.close })
  }
  const { pool, synthesizer, close } = await openVoice(model, settings, open)
  return toModel(pool, { synthesizer, close })
}

/** A cancelled call ends its process: with a spare one, the next call need not wait for a load. */
async function findSpare(model: SherpaModel, { options }: LoadSettings): Promise<boolean> {
  const wanted = readSwitch(options.get('spare') ?? 'auto', 'option spare')
  if (wanted !== 'auto') return wanted
  const sizes = await Promise.all(listGraphs(model).map(async (file) => (await stat(file)).size))
  return sizes.reduce((sum, size) => sum + size, 0) <= SPARE_LIMIT
}

function toModel(
  pool: EnginePool,
  parts: Pick<SpeechModel, 'close' | 'transcriber' | 'synthesizer' | 'diarizer'>,
): SpeechModel {
  return {
    engine: 'sherpa',
    parallel: pool.parallel,
    get busy() {
      return pool.busy
    },
    get memoryBytes() {
      return pool.memoryBytes
    },
    ...parts,
  }
}
