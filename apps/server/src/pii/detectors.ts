import { createUnavailableDetector, type Detector } from '@svc/pii'
import type { ModelConfig } from '../models/model-config.ts'
import type { Logger } from '../ports.ts'

/** The detector models of a server, by name. */
export interface DetectorRegistry {
  /**
   * The detectors of these names, in their order. One that cannot be had is there all the same: it fails whatever it is
   * asked to scan.
   */
  find(names: readonly string[]): Promise<readonly Detector[]>
}

/** What {@link createDetectorRegistry} needs. */
export interface DetectorRegistryOptions {
  /** The model of a name; the same object while its file has not changed. */
  readonly resolve: (name: string) => Promise<ModelConfig | undefined>
  /** @throws when the `pii_detection` block of the model is no policy */
  readonly toDetector: (model: ModelConfig) => Detector
  readonly logger: Logger
}

/** Makes the registry. A detector is made once for each state of its model's file. */
export function createDetectorRegistry({ resolve, toDetector, logger }: DetectorRegistryOptions): DetectorRegistry {
  const made = new WeakMap<ModelConfig, Detector>()

  function make(model: ModelConfig): Detector {
    try {
      return toDetector(model)
    } catch (error) {
      logger.warn({ detector: model.name, err: error }, 'a detector cannot be used; requests that name it fail')
      return createUnavailableDetector(model.name)
    }
  }

  async function findOne(name: string): Promise<Detector> {
    const model = await resolve(name).catch(() => undefined)
    if (model === undefined || model.disabled || model.piiDetection === undefined) {
      logger.warn({ detector: name }, 'there is no such detector; requests that name it fail')
      return createUnavailableDetector(name)
    }
    const before = made.get(model)
    if (before !== undefined) return before
    const detector = make(model)
    made.set(model, detector)
    return detector
  }

  return { find: (names) => Promise.all(names.map(findOne)) }
}
