import { formatAddress } from '../config/places.ts'
import { StartRefused } from '../config/start-refused.ts'
import type { App } from '../http/app.ts'
import { grantConnections, readDescriptorLimit } from '../http/connection-limit.ts'
import { type Listener, listen } from '../http/listen.ts'
import type { Logger } from '../ports.ts'
import type { Platform } from './platform.ts'

/** Listens with the application. @throws {StartRefused} when the address is not available */
export async function openListener(app: App, { config, log }: Pick<Platform, 'config' | 'log'>): Promise<Listener> {
  const maxConnections = limitConnections(config.maxConnections, log)
  try {
    return await listen(app, config.address, { httpReader: config.httpReader, maxConnections })
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new StartRefused(
      `cannot listen on ${formatAddress(config.address)}: ${reason}; --address HOST:PORT (or SVC_ADDRESS) takes another`,
      { exitCode: 75, cause },
    )
  }
}

function limitConnections(asked: number, log: Logger): number {
  const { max, isLess } = grantConnections(asked, readDescriptorLimit())
  if (isLess) log.warn({ asked, max }, '--max-connections is above what the number of open files leaves (ulimit -n)')
  return max
}
