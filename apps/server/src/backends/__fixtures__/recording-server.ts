/**
 * A server to be killed: starts a program that forks and ignores TERM, records it, prints its pids, and stays.
 * Arguments: record file, working folder, program.
 */
import { writeFile } from 'node:fs/promises'
import { systemClock } from '../../clock.ts'
import { startProcess } from '../process.ts'
import { createProcessRecord } from '../process-record.ts'
import { silentLogger } from './silent-logger.ts'
import { createWatchedRing } from './watched-ring.ts'

const [file = '', folder = '', program = ''] = process.argv.slice(2)
const record = createProcessRecord({ file, writeFile, logger: silentLogger })
const ring = createWatchedRing()
const child = await startProcess({
  name: 'stubborn',
  command: process.execPath,
  args: [program],
  cwd: folder,
  env: {},
  ring,
  clock: systemClock,
})
record.add({ pid: child.pid, startTicks: child.startTicks ?? 0, name: 'stubborn' })
await record.settled()
const grandchild = (await ring.waitFor(/^grandchild/)).split(' ')[1]
process.stdout.write(`${JSON.stringify({ leader: child.pid, grandchild: Number(grandchild) })}\n`)
setInterval(() => undefined, 1000)
