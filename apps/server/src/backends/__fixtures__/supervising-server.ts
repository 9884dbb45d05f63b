/** A server to be killed: starts a program under supervision, prints its pid, and stays. Arguments: folder, program. */
import { dirname } from 'node:path'
import { systemClock } from '../../clock.ts'
import { createSupervisor } from '../supervisor.ts'
import { silentLogger } from './silent-logger.ts'

const [folder = '', command = ''] = process.argv.slice(2)
const supervisor = createSupervisor({
  environment: {},
  modelsPath: folder,
  socketParent: folder,
  record: { add: () => undefined, remove: () => undefined, settled: async () => undefined },
  clock: systemClock,
  logger: silentLogger,
})
const backend = await supervisor.start(
  { kind: 'spawn', name: 'mock', command, args: [], cwd: dirname(command), transport: 'tcp' },
  { modelName: 'mock', signal: new AbortController().signal },
)
process.stdout.write(`${backend.pid}\n`)
