import { silentLogger } from '../../backends/__fixtures__/silent-logger.ts'
import { systemClock } from '../../clock.ts'
import { openVectorStores, type VectorStores, type VectorStoresOptions } from '../vector-stores.ts'

/** Opens stores in a folder, with the clocks of the machine and without a log. */
export function openStores(folder: string, options: Partial<VectorStoresOptions> = {}): Promise<VectorStores> {
  return openVectorStores({ folder, isKept: true, checkAccess: () => undefined, clock: systemClock, logger: silentLogger, ...options })
}
