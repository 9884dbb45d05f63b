import { writeSync } from 'node:fs'
import type { MockCrash } from './script.ts'

/** Ends this process as the script says. */
export function crash({ how, code = 1, stderr }: MockCrash): void {
  if (stderr !== undefined) writeSync(2, `${stderr}\n`)
  if (how === 'exit') process.exit(code)
  if (how === 'abort') process.abort()
  process.kill(process.pid, 'SIGKILL')
}
