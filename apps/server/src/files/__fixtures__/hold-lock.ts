import { systemClock } from '../../clock.ts'
import { lockDataPath } from '../file-lock.ts'

/** Takes the lock of a data path and keeps it until it is killed; prints the outcome. */
try {
  await lockDataPath(process.argv[2] ?? '', { clock: systemClock })
  process.stdout.write('held\n')
} catch (error) {
  process.stdout.write(`${error instanceof Error ? error.message : String(error)}\n`)
}
