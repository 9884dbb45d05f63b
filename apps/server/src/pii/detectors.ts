import { SvcError } from '@svc/errors'
import { createUnavailableDetector, type Detector } from '@svc/pii/detectors'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { Logger } from '../ports.ts'
import { findDetectorKind } from './detector-model.ts'

/** The detector models of a server, by name. */
export interface DetectorRegistry {
  /**
   * Gives the detectors of these names in order, ready to scan, so that the time of a scan does not include the load of
   * a model. Resolves at once when no model must be loaded. An unavailable detector is included, and fails every scan.
   */
  find(
    names: readonly string[],
    options: { readonly signal: AbortSignal },
  ): readonly Detector[] | Promise<readonly Detector[]>
}

/** Options of {@link createDetectorRegistry}. */
export interface DetectorRegistryOptions {
  /** Gives the model of a name; the same object while its file has not changed. */
  readonly findModel: (name: string) => ModelConfig | undefined
  /** Creates a detector. @throws when the `pii_detection` block of the model is invalid */
  readonly toDetector: (model: ModelConfig) => Detector
  /** Loads the model of a detector; undefined when none is needed. @throws the failure of the load */
  readonly prepare: (model: ModelConfig, options: { readonly signal: AbortSignal }) => Promise<void> | undefined
  readonly logger: Logger
}

/** Creates the registry. A detector is created once for each state of its model's file. */
export function createDetectorRegistry({
  findModel,
  toDetector,
  prepare,
  logger,
}: DetectorRegistryOptions): DetectorRegistry {
  const made = new WeakMap<ModelConfig, Detector>()

  function make(model: ModelConfig): Detector {
    try {
      return toDetector(model)
    } catch (error) {
      logger.warn({ detector: model.name, err: error }, 'a detector cannot be used; requests that name it fail')
      return createUnavailableDetector(model.name)
    }
  }

  function findOne(name: string, options: { readonly signal: AbortSignal }): Detector | Promise<Detector> {
    const model = findModel(name)
    if (model === undefined || model.disabled || findDetectorKind(model) === undefined) {
      logger.warn({ detector: name }, 'there is no such detector; requests that name it fail')
      return createUnavailableDetector(name)
    }
    const detector = made.get(model) ?? make(model)
    made.set(model, detector)
    return (
      prepare(model, options)?.then(
        () => detector,
        (error: unknown) => {
          const code = SvcError.is(error) ? error.code : undefined
          if (!options.signal.aborted)
            logger.warn({ detector: name, code }, 'a detector cannot be loaded; requests that name it fail')
          return createUnavailableDetector(name)
        },
      ) ?? detector
    )
  }

  return {
    find(names, options) {
      const found = names.map((name) => findOne(name, options))
      return found.every(isReady) ? found : Promise.all(found.map((one) => Promise.resolve(one)))
    },
  }
}

function isReady(detector: Detector | Promise<Detector>): detector is Detector {
  return !(detector instanceof Promise)
}
