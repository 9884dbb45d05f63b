import type { Bus } from '../bus/bus.ts'
import type { ModelConfig } from '../catalog/model-config.ts'
import type { ServerConfig } from '../config/schema.ts'
import type { Clock, Logger } from '../ports.ts'
import { createPriceBook } from '../spend/open-price-book.ts'
import { findPricesFile, openPriceFile } from '../spend/price-file.ts'
import type { OpenPrices } from '../spend/prices.ts'
import type { Closers } from './closers.ts'

/** Parts of {@link openPrices}. */
export interface PriceParts {
  readonly config: Pick<ServerConfig, 'pricesFile' | 'configDir' | 'configDirPollIntervalMs'>
  readonly listModels: () => readonly ModelConfig[]
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
  readonly logger: Logger
}

/** Opens the price list. @throws {StartRefused} exit code 78 for a wrong one */
export async function openPrices(parts: PriceParts, closers: Closers): Promise<OpenPrices> {
  const { config, listModels, bus, clock, logger } = parts
  const { configDirPollIntervalMs: pollIntervalMs } = config
  const file = await openPriceFile({ path: findPricesFile(config), pollIntervalMs, clock, logger })
  closers.push(() => file.close())
  const book = createPriceBook({ list: () => file.list, models: listModels })
  closers.push(bus.subscribe('models.changed', () => book.refresh()))
  return { book, file }
}
