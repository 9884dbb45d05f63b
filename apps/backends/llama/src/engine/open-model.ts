import path from 'node:path'
import type { GgufHeader } from '@svc/gguf'
import type { LlamaModel, LlamaModelOptions } from 'node-llama-cpp'
import { LlamaError } from '../errors.ts'
import type { Runtime } from './runtime.ts'
import type { ModelSettings, Pooling } from './settings.ts'

/** More layers than any model has: as many as fit on the card. */
const ALL_LAYERS = 9999
/** The kinds of pooling as model files number them. */
const POOLING_TYPES: Readonly<Record<Pooling, number>> = { none: 0, mean: 1, cls: 2, last: 3, rank: 4 }

/** Loads a checked file with the engine. @throws LlamaError with the engine's first error message */
export async function openModel(
  runtime: Runtime,
  settings: ModelSettings,
  { header, signal }: { readonly header: GgufHeader; readonly signal: AbortSignal },
): Promise<LlamaModel> {
  runtime.takeErrors()
  try {
    return await runtime.llama.loadModel({
      modelPath: settings.file,
      gpuLayers: chooseGpuLayers(runtime.llama.gpu !== false, settings.gpuLayers),
      checkTensors: settings.checkTensors,
      useMmap: settings.mmap,
      useMlock: settings.mlock,
      loadSignal: signal,
      ignoreMemorySafetyChecks: true,
      ...overridePooling(settings.pooling, header),
    })
  } catch (error) {
    signal.throwIfAborted()
    throw toRefusal(runtime, settings.file, error)
  }
}

/** Creates the failure of a refused file, with the engine's logged message. */
export function toRefusal(runtime: Runtime, file: string, cause: unknown): LlamaError {
  const name = path.basename(file)
  const [line = 'the engine cannot load it'] = runtime.takeErrors()
  return new LlamaError('unprocessable', `${name}: ${line.replaceAll(file, name)}`, { code: 'bad_model_file', cause })
}

/** An engine without a graphics card puts no layers on one, for any wish. */
export function chooseGpuLayers(hasGpu: boolean, wished: number): number | 'auto' {
  if (!hasGpu) return 0
  return wished >= ALL_LAYERS ? 'auto' : wished
}

/** The engine pools as the file says, so the setting overrides the file's metadata. */
function overridePooling(
  pooling: Pooling | undefined,
  { keys }: GgufHeader,
): Pick<LlamaModelOptions, 'metadataOverrides'> {
  if (pooling === undefined) return {}
  const architecture = String(keys.get('general.architecture'))
  const metadataOverrides = { [architecture]: { pooling_type: POOLING_TYPES[pooling] } }
  // The type names the architectures it knows; this is the one of the file.
  return { metadataOverrides: metadataOverrides as NonNullable<LlamaModelOptions['metadataOverrides']> }
}
