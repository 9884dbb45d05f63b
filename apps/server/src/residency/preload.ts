import type { Logger } from '../ports.ts'
import { loadWithParts, type PartLoaderOptions } from './load-with-parts.ts'

/**
 * Loads models at start, one after the other. If they do not all fit into memory, the last ones stay. A failure is
 * logged and does not stop the others; the first request for that model tries again. Never rejects.
 *
 * @param options.signal ends the preload; the residency finishes a running load
 */
export async function preload(
  names: readonly string[],
  options: PartLoaderOptions & { readonly logger: Logger },
): Promise<void> {
  const { logger, signal } = options
  for (const name of names) {
    if (signal.aborted) return
    try {
      const model = options.resolve(name)
      if (model === undefined) {
        logger.error({ model: name }, 'model to load at start does not exist')
        continue
      }
      const { loaded, failures } = await loadWithParts(model, options)
      if (loaded.length > 0) logger.info({ model: name, loaded }, 'model loaded at start')
      for (const { name: part, error } of signal.aborted ? [] : failures) {
        logger.error({ model: name, part, err: error }, 'model to load at start could not be loaded')
      }
    } catch (error) {
      logger.error({ model: name, err: error }, 'model to load at start could not be loaded')
    }
  }
}
