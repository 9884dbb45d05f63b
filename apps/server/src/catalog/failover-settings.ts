import { SvcError } from '@svc/errors'
import { type FailoverSettings, readFailoverSettings } from '@svc/proxy/failover'
import type { FailoverSettings as FailoverKeys, ModelConfig } from './model-config.ts'
import { hasFailover, listFailoverTargets } from './serving.ts'

/**
 * Converts the `failover` key of a file.
 *
 * @throws {SvcError} `invalid_failover_settings`, `details.param` the key at fault
 */
export function parseFailoverKeys(
  keys: FailoverKeys,
  options: { readonly own: string; readonly isGroup?: ((model: string) => boolean) | undefined },
): FailoverSettings {
  const { minDwell, ...recovery } = keys.recovery ?? {}
  const value = { ...keys, recovery: { ...recovery, min_dwell: minDwell } }
  return readFailoverSettings(value, { own: options.own, isGroup: options.isGroup ?? (() => false) })
}

/** Gives the settings of a failover group, checked against its targets. @throws {SvcError} `model_load_failed` */
export function loadFailoverSettings(model: ModelConfig): FailoverSettings {
  const { name, failover = {} } = model
  const targets = listFailoverTargets(model)
  try {
    const isNested = (target: string): boolean => targets.some((one) => one.name === target && hasFailover(one.model))
    const settings = parseFailoverKeys(failover, { own: name, isGroup: isNested })
    for (const [index, target] of settings.targets.entries()) {
      const found = targets.find((one) => one.name === target.model)?.model
      // A request that is relayed byte for byte cannot go to another target.
      if (found?.serving.kind !== 'relay') continue
      throw new SvcError(
        'invalid_request',
        `failover.targets[${index}].model: is passed through as it comes; only a proxy that translates can stand in`,
        { code: 'invalid_failover_settings' },
      )
    }
    return settings
  } catch (error) {
    if (!SvcError.is(error)) throw error
    throw new SvcError('internal', `could not load model "${name}": ${error.message}`, {
      code: 'model_load_failed',
      cause: error,
    })
  }
}
