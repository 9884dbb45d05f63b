/** Runs with few descriptors: uses all of them, tries to start a process, gives them back, tries again. */
import { closeSync, openSync } from 'node:fs'
import { systemClock } from '../../clock.ts'
import { createLogRing } from '../log-ring.ts'
import { startProcess } from '../process.ts'

const attempt = () =>
  startProcess({
    name: 'tiny',
    command: process.execPath,
    args: ['-e', ''],
    cwd: '/',
    env: {},
    ring: createLogRing(),
    clock: systemClock,
  }).then(
    async (started) => `exited ${(await started.exited).code}`,
    (error: { code?: string; kind?: string }) => `${error.kind} ${error.code}`,
  )

const before = await attempt()
const held: number[] = []
try {
  for (;;) held.push(openSync('/dev/null', 'r'))
} catch {
  // All descriptors are in use.
}
const without = await attempt()
for (const descriptor of held) closeSync(descriptor)
process.stdout.write(JSON.stringify([before, without, await attempt()]))
