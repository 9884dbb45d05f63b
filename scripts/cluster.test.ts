import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmod, readdir } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { collectLines } from '../packages/test-kit/src/lines.ts'
import { patienceMs } from '../packages/test-kit/src/patience.ts'
import { tempDir } from '../packages/test-kit/src/temp-dir.ts'

const SCRIPT = fileURLToPath(new URL('cluster.mjs', import.meta.url))

function start(folder: string, ...argv: readonly string[]) {
  const child = spawn(process.execPath, [SCRIPT, ...argv], {
    env: { PATH: process.env.PATH, TMPDIR: folder },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  return { child, out: collectLines(child.stdout), err: collectLines(child.stderr), exited: once(child, 'exit') }
}

it(
  'starts a cluster that answers through a worker, and leaves nothing behind',
  async (context) => {
    await using dir = await tempDir()
    // The user of PostgreSQL has to reach its folder.
    await chmod(dir.path, 0o755)
    const { child, out, err, exited } = start(dir.path, '--front-ends', '2', '--workers', '1')
    const isUp = await out.waitFor('Ctrl-C ends everything').catch(() => undefined)
    if (isUp === undefined) {
      await exited
      const reason = err.lines.find((line) => /^(?:PostgreSQL|NATS) does not start/.test(line))
      expect(reason, [...out.lines, ...err.lines].join('\n')).toBeDefined()
      return context.skip(reason)
    }
    const read = (name: string): string => out.lines.find((line) => line.startsWith(name))?.split(/ {2,}/)[1] ?? ''
    const reply = await fetch(`${read('all front ends')}/v1/chat/completions`, {
      method: 'POST',
      headers: { authorization: `Bearer ${read('admin key')}`, 'content-type': 'application/json' },
      body: JSON.stringify({ model: 'demo', max_tokens: 4, messages: [{ role: 'user', content: 'Hello!' }] }),
    })
    expect([reply.status, reply.headers.get('x-localai-node')]).toEqual([200, 'worker-1'])
    expect(await readdir(dir.path)).not.toEqual([])
    child.kill('SIGINT')
    expect(await exited).toEqual([0, null])
    expect(await readdir(dir.path)).toEqual([])
  },
  patienceMs(180_000),
)

it('refuses numbers that it cannot start', async () => {
  await using dir = await tempDir()
  const { err, exited } = start(dir.path, '--workers=many')
  expect(await exited).toEqual([1, null])
  expect((await err.ended).join('\n')).toBe('--workers must be a number from 0 to 16')
})
