import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { collectLines, sourceArguments, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { MAIN } from './backend.ts'

/** Runs the program with a script in front of it until it ends. */
async function runWith(script: string): Promise<{ code: number | null; lines: readonly string[] }> {
  await using dir = await tempDir()
  const preload = ['--import', `data:text/javascript,${encodeURIComponent(script)}`]
  const child = spawn(
    process.execPath,
    [...preload, ...sourceArguments(MAIN), '--addr', `unix:${dir.join('socket')}`],
    {
      stdio: ['ignore', 'ignore', 'pipe'],
    },
  )
  const [lines] = await Promise.all([collectLines(child.stderr).ended, once(child, 'exit')])
  return { code: child.exitCode, lines }
}

describe('an unexpected fault', () => {
  it('ends the process with 1 and one line', async () => {
    const { code, lines } = await runWith(`
      process.on('newListener', (name) => {
        if (name === 'uncaughtException') setImmediate(() => { throw new Error('out of\\nthe blue') })
      })`)
    expect(code).toBe(1)
    expect(lines).toEqual([expect.stringMatching(/^error: Error: out of the blue at /)])
  })

  it('ends the process also where the engine does not start', async () => {
    const { code, lines } = await runWith(`
      Object.defineProperty(process, 'arch', { value: 'mips' })`)
    expect(code).toBe(1)
    expect(lines).toEqual([expect.stringMatching(/^error: /)])
  })
})
