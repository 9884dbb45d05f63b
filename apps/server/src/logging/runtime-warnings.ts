import { setMaxListeners } from 'node:events'
import type { Logger } from '../ports.ts'

/**
 * Sends the warnings of Node to the log. Node prints them itself between the lines of the log, where nothing can parse them.
 * Many calls may wait for one signal, so Node's hint at eleven listeners tells nothing here: it is off.
 */
export function logRuntimeWarnings(log: Logger): void {
  setMaxListeners(0)
  // Node prints by a listener of its own.
  process.removeAllListeners('warning')
  process.on('warning', (warning) => log.warn({ warning: warning.name }, warning.message))
}
