import { SvcError } from '@svc/errors'
import { type CloudTarget, loadCloudTarget, type SecretReader } from '@svc/proxy'
import type { ModelConfig } from '../../../catalog/model-config.ts'
import type { CheckUpstream } from './own-address.ts'

/** Upstream targets of models (§2.13), by their files. */
export interface CloudModels {
  /**
   * Gives the upstream target of a model. Its settings are checked and its key is read on first use and after each
   * change of its file.
   *
   * @throws {SvcError} `model_load_failed`, kind `internal`, naming the setting
   */
  findTarget(model: ModelConfig): Promise<CloudTarget>
}

/** Options of {@link createCloudModels}. */
export interface CloudModelsOptions {
  readonly secrets: SecretReader
  /** The user agent in requests to upstreams. */
  readonly userAgent: string
  readonly checkUpstream: CheckUpstream
}

/** Creates the table. The next request tries again after a failed load. */
export function createCloudModels({ secrets, userAgent, checkUpstream }: CloudModelsOptions): CloudModels {
  const loaded = new WeakMap<ModelConfig, CloudTarget>()
  return {
    async findTarget(model) {
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
