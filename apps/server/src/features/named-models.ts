import { SvcError } from '@svc/errors'
import type { ModelRequest } from '../galleries/model-plan.ts'
import type { Unready } from '../monitoring/readiness.ts'
import { nameWithoutGallery } from '../operations/operation.ts'
import type { ServerFeature } from '../platform/feature.ts'
import type { Platform } from '../platform/platform.ts'
import { preload } from '../residency/preload.ts'

const LOADING: Unready = { status: 'starting', reason: 'the models that the start names are installed and loaded' }

/**
 * Models named on the command line or by `--models`: the missing ones are installed, and all are loaded, one after the
 * other, while the server serves. It is not ready before.
 */
export function namedModelsFeature(platform: Platform): ServerFeature {
  const stopping = new AbortController()
  let isWorking = platform.config.models.length > 0
  let working: Promise<boolean> | undefined
  return {
    start() {
      working = installNamedModels(platform, { signal: stopping.signal, loads: true }).finally(() => {
        isWorking = false
      })
    },
    unready: () => (isWorking ? LOADING : undefined),
    async drain() {
      stopping.abort()
      await working
    },
  }
}

/**
 * Installs the models that the configuration names and that are missing, one after the other.
 *
 * @param options.loads whether each of them is loaded too
 * @returns whether all of them are there. Never rejects
 */
export async function installNamedModels(
  platform: Platform,
  { signal, loads }: { readonly signal: AbortSignal; readonly loads: boolean },
): Promise<boolean> {
  const { config, models, modelFiles, modelGallery, operations, backends, log } = platform
  let isComplete = true

  /** Installs a model unless it is here. @returns the name that it has here */
  async function provide(named: string): Promise<string> {
    const request = named.includes('://') ? await plan(named) : { id: named }
    const name = request.name ?? nameWithoutGallery(named)
    if (modelFiles.get(name) !== undefined) return name
    const { jobId } = await modelGallery.install(request, { isHere: true })
    const end = await operations.waitForEnd(jobId, { signal })
    if (end?.state === 'completed') return name
    throw new SvcError('unavailable', end?.error ?? 'its installation was cancelled', { code: 'not_installed' })
  }

  async function plan(uri: string): Promise<ModelRequest> {
    const found = await modelGallery.planImport(uri, {}, { signal })
    if (found.kind === 'install') return found.request
    const candidates = found.candidates.join(', ')
    throw new SvcError('invalid_request', `several backends could run it (${candidates}): import it with one of them`, {
      code: 'ambiguous_import',
    })
  }

  for (const named of config.models) {
    try {
      const name = await provide(named)
      if (!loads) continue
      const { residency } = backends
      await preload([name], { resolve: (one) => models.resolve(one), residency, signal, logger: log })
    } catch (error) {
      if (signal.aborted) return false
      isComplete = false
      log.error({ model: named, err: error }, 'model to install at start could not be installed')
    }
  }
  return isComplete
}
