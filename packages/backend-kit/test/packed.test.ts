import { execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { listCodeBlocks, packAndInstall, readReadme, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'

const run = promisify(execFile)

it('works for a user: the backend and the client of the READMEs, from the packed packages', async () => {
  await using folder = await tempDir()
  const { dir } = await packAndInstall({ packages: ['@svc/backend-kit'], dir: folder.path })
  const programs = { backend: join(dir, 'backend.mjs'), client: join(dir, 'client.mjs') }
  for (const [name, file] of Object.entries(programs)) {
    const [snippet = ''] = listCodeBlocks(
      await readReadme(`@svc/backend-${name === 'backend' ? 'kit' : 'client'}`),
      'ts',
    )
    expect(snippet).toMatch(/^import /)
    await writeFile(file, snippet)
  }
  const child = spawn(process.execPath, [programs.backend, '--addr', '127.0.0.1:0'], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  const exited = once(child, 'exit')
  try {
    const [line] = (await once(createInterface({ input: child.stdout }), 'line')) as [string]
    const { stdout } = await run(process.execPath, [programs.client, line.replace('listening on ', '')])
    expect(stdout).toBe('HELLO ')
    child.kill('SIGTERM')
    expect(await exited).toEqual([0, null])
  } finally {
    child.kill('SIGKILL')
  }
})
