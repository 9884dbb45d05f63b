import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'
import { installPacked, isBuilt, readmeSnippets } from './packed.ts'

const run = promisify(execFile)

/** `npm test` builds first; without a build there is nothing to pack, which only the check script takes for an error. */
const isReady = isBuilt('packages/backend-kit') || process.env.CI !== undefined

it.skipIf(!isReady)(
  'works for a user: the backend and the client of the READMEs, from the packed packages',
  { timeout: 180_000 },
  async () => {
    const [backend = ''] = readmeSnippets('packages/backend-kit')
    const [client = ''] = readmeSnippets('packages/backend-client')
    await using install = await installPacked('packages/backend-kit')
    const program = install.write('backend.mjs', backend)
    const child = spawn(process.execPath, [program, '--addr', '127.0.0.1:0'], { stdio: ['ignore', 'pipe', 'inherit'] })
    const exited = once(child, 'exit')
    try {
      const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
      const address = line.replace('listening on ', '')
      const { stdout } = await run(process.execPath, [install.write('client.mjs', client), address])
      expect(stdout).toBe('HELLO ')
      child.kill('SIGTERM')
      expect(await exited).toEqual([0, null])
    } finally {
      child.kill('SIGKILL')
    }
  },
)

it('finds the snippets of both READMEs', () => {
  for (const folder of ['packages/backend-kit', 'packages/backend-client']) {
    expect(readmeSnippets(folder)[0]).toMatch(/^import /)
  }
})
