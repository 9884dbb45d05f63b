import { createLog } from './log.ts'

/** Ends this process with exit code 1 and one line on stderr at an uncaught exception or rejection. */
export function exitOnFaults(): void {
  const log = createLog(process.stderr)
  const onFault = (fault: unknown): void => {
    log.error(fault instanceof Error ? (fault.stack ?? fault.message) : String(fault))
    process.exit(1)
  }
  process.on('uncaughtException', onFault)
  process.on('unhandledRejection', onFault)
}
