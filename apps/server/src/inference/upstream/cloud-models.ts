import { SvcError } from '@svc/errors'
import { type CloudTarget, loadCloudTarget, type SecretReader } from '@svc/proxy'
import type { ModelConfig } from '../../catalog/model-config.ts'
import type { CheckUpstream } from './own-address.ts'

/** Models that live upstream (§2.13), by what their files say. */
export interface CloudModels {
  /**
   * Where a model lives; its settings are checked and its key is read on first use and whenever its file has changed.
   *
   * @throws {SvcError} `model_load_failed`, kind `internal`, naming the setting
   */
  targetOf(model: ModelConfig): Promise<CloudTarget>
}

/** What {@link createCloudModels} needs. */
export interface CloudModelsOptions {
  readonly secrets: SecretReader
  /** Who upstreams are asked by. */
  readonly userAgent: string
  readonly checkUpstream: CheckUpstream
}

/** Makes the table; a target that cannot be loaded is tried again by the next request. */
export function createCloudModels({ secrets, userAgent, checkUpstream }: CloudModelsOptions): CloudModels {
  const loaded = new WeakMap<ModelConfig, CloudTarget>()
  return {
    async targetOf(model) {
      const known = loaded.get(model)
      if (known !== undefined) return known
      try {
        const target = await loadCloudTarget(model.proxy ?? {}, { secrets, userAgent })
        await checkUpstream(target.url)
        loaded.set(model, target)
        return target
      } catch (error) {
        if (!SvcError.is(error)) throw error
        throw new SvcError('internal', `could not load model "${model.name}": ${error.message}`, {
          code: 'model_load_failed',
          cause: error,
        })
      }
    },
  }
}
