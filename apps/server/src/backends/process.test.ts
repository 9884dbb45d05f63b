import { execFile } from 'node:child_process'
import { writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { createFakeClock, type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import type { Clock } from '../ports.ts'
import { createWatchedRing } from './__fixtures__/watched-ring.ts'
import { type BackendProcess, type ProcessOptions, startProcess } from './process.ts'
import { readProcessStat } from './process-table.ts'

const hasProc = process.platform === 'linux'
const STAY = 'setInterval(() => {}, 1000)'

interface Started {
  readonly child: BackendProcess
  readonly ring: ReturnType<typeof createWatchedRing>
}

async function startScript(
  dir: TempDir,
  source: string,
  more: Partial<ProcessOptions> & { readonly clock?: Clock } = {},
): Promise<Started> {
  const file = dir.join('script.mjs')
  await writeFile(file, source)
  const ring = createWatchedRing()
  const child = await startProcess({
    name: 'scripted',
    command: process.execPath,
    cwd: dir.path,
    env: { PATH: process.env.PATH ?? '' },
    ring,
    clock: systemClock,
    ...more,
    args: [file, ...(more.args ?? [])],
  })
  return { child, ring }
}

function isAlive(pid: number): boolean {
  const stat = readProcessStat(pid)
  return stat !== undefined && stat.state !== 'Z'
}

describe('startProcess', () => {
  it('passes arguments as they are, through no shell (PROC-1)', async () => {
    await using dir = await tempDir()
    const args = ['; touch owned', '$(touch owned)', '`touch owned`', 'a\nb', '-rf', '--', '\'"', '*', '']
    const { child, ring } = await startScript(dir, 'console.log(JSON.stringify(process.argv.slice(2)))', { args })
    await child.exited
    expect(JSON.parse(ring.lines()[0]?.text ?? '')).toEqual(args)
  })

  it('gives the child exactly the environment it is told (PROC-2)', async () => {
    await using dir = await tempDir()
    process.env.SVC_TEST_SECRET = 'never'
    const { child, ring } = await startScript(dir, 'console.log(JSON.stringify(process.env))', { env: { ONLY: '1' } })
    await child.exited
    delete process.env.SVC_TEST_SECRET
    const environment: Record<string, string> = JSON.parse(ring.lines()[0]?.text ?? '')
    delete environment.__CF_USER_TEXT_ENCODING
    expect(environment).toEqual({ ONLY: '1' })
  })

  it('runs it in its folder, as a direct child and the leader of its own group', async () => {
    await using dir = await tempDir()
    const { child, ring } = await startScript(
      dir,
      `console.log(JSON.stringify([process.cwd(), process.ppid, process.pid])); ${STAY}`,
    )
    const [cwd, parent, pid] = JSON.parse(await ring.waitFor(/^\[/))
    expect([cwd, parent, pid]).toEqual([dir.path, process.pid, child.pid])
    if (hasProc) expect(readProcessStat(pid)).toMatchObject({ groupId: pid, sessionId: pid })
    await child.terminate({ graceMs: 5000 })
    expect(await child.exited).toMatchObject({ code: null, signal: 'SIGTERM' })
  })

  it('reports how it ended with the last lines of its standard error', async () => {
    await using dir = await tempDir()
    const { child } = await startScript(
      dir,
      `for (let n = 0; n < 30; n++) console.error('line', n); console.log('other'); process.exitCode = 3`,
    )
    const report = await child.exited
    expect(report).toMatchObject({ code: 3, signal: null })
    expect(report.lastLines).toEqual(Array.from({ length: 20 }, (_, index) => `line ${index + 10}`))
    expect(child.hasExited()).toBe(true)
  })

  it('keeps at most 4096 bytes of the last lines', async () => {
    await using dir = await tempDir()
    const { child } = await startScript(dir, `for (const c of 'abc') console.error(c.repeat(2000))`)
    expect((await child.exited).lastLines).toEqual(['b'.repeat(2000), 'c'.repeat(2000)])
  })

  it('fails for a program that is not there, and the error names no folder', async () => {
    await using dir = await tempDir()
    const missing = dir.join('no-such-program')
    const started = startScript(dir, '', { command: missing })
    await expect(started).rejects.toMatchObject({
      kind: 'internal',
      code: 'backend_start_failed',
      message: 'backend "scripted" cannot be started (ENOENT)',
    })
  })

  it.runIf(hasProc)('reports when no more processes can start, and recovers (REL-17)', async () => {
    const script = fileURLToPath(new URL('./__fixtures__/out-of-descriptors.ts', import.meta.url))
    const node = `"${process.execPath}" --conditions=@svc/source --import tsx "${script}"`
    const { stdout } = await promisify(execFile)('/bin/sh', ['-c', `ulimit -n 64; ${node}`])
    expect(JSON.parse(stdout)).toEqual(['exited 0', 'unavailable process_limit', 'exited 0'])
  })

  it('reads a flood to its end without keeping it (PROC-5)', async () => {
    await using dir = await tempDir()
    const { child, ring } = await startScript(
      dir,
      `import { writeSync } from 'node:fs'
       const junk = Buffer.alloc(65536, 'x\\x1b[2J\\n')
       junk[7] = 0xff
       for (let n = 0; n < 800; n++) writeSync(2, junk)
       writeSync(2, '\\nlast words\\n')
       process.exit(9)`,
    )
    const report = await child.exited
    expect(report.code).toBe(9)
    expect(report.lastLines.at(-1)).toBe('last words')
    const texts = ring.lines().map(({ text }) => text)
    expect(texts.length).toBeLessThanOrEqual(1000)
    expect(texts.join('')).not.toContain('\u001b')
  })

  it('notices that its address was taken', async () => {
    await using dir = await tempDir()
    const { child } = await startScript(dir, `throw new Error('listen EADDRINUSE: address already in use 127.0.0.1:1')`)
    await child.exited
    expect(child.saidAddressInUse()).toBe(true)
  })
})

describe('terminate', () => {
  // verifies residency:stop:patience
  it('kills a process that ignores TERM after its patience, not before (PROC-4)', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const { child, ring } = await startScript(
      dir,
      `process.on('SIGTERM', () => console.log('ignored')); console.log('ready'); ${STAY}`,
      { clock },
    )
    await ring.waitFor(/ready/)
    const stopped = child.terminate({ graceMs: 15_000 })
    await ring.waitFor(/ignored/)
    await clock.waitForSleepers(1)
    await clock.advance(14_999)
    expect(child.hasExited()).toBe(false)
    await clock.advance(1)
    await stopped
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
  })

  it('can be asked again with less patience', async () => {
    await using dir = await tempDir()
    const clock = createFakeClock()
    const { child, ring } = await startScript(dir, `process.on('SIGTERM', () => {}); console.log('ready'); ${STAY}`, {
      clock,
    })
    await ring.waitFor(/ready/)
    const patient = child.terminate({ graceMs: 15_000 })
    await clock.waitForSleepers(1)
    const hasty = child.terminate({ graceMs: 100 })
    await clock.waitForSleepers(2)
    await clock.advance(100)
    await Promise.all([patient, hasty])
    expect(clock.monotonic()).toBe(100)
  })

  it('does nothing to a process that has ended', async () => {
    await using dir = await tempDir()
    const { child } = await startScript(dir, '')
    await child.exited
    await child.terminate({ graceMs: 1000 })
    child.killNow()
    expect(await child.exited).toMatchObject({ code: 0 })
  })

  it('kills at once and synchronously when asked to', async () => {
    await using dir = await tempDir()
    const { child } = await startScript(dir, STAY)
    child.killNow()
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
  })
})

describe.runIf(hasProc)('the group of a process', () => {
  const forking = (options: string) => `
    import { spawn } from 'node:child_process'
    const child = spawn(process.execPath, ['-e', ${JSON.stringify(STAY)}], ${options})
    console.log('grandchild ' + child.pid)
    ${STAY}`

  it('is killed when its leader dies (PROC-4)', async () => {
    await using dir = await tempDir()
    const { child, ring } = await startScript(dir, forking(`{ stdio: 'inherit' }`))
    const grandchild = Number((await ring.waitFor(/^grandchild/)).split(' ')[1])
    expect(isAlive(grandchild)).toBe(true)
    process.kill(child.pid, 'SIGKILL')
    expect(await child.exited).toMatchObject({ signal: 'SIGKILL' })
    await expect.poll(() => isAlive(grandchild)).toBe(false)
  })

  it('is killed with a leader that stops on TERM and leaves children that do not', async () => {
    await using dir = await tempDir()
    const stubborn = JSON.stringify(`process.on('SIGTERM', () => {}); console.log('stubborn ' + process.pid); ${STAY}`)
    const source = `
      import { spawn } from 'node:child_process'
      spawn(process.execPath, ['-e', ${stubborn}], { stdio: 'inherit' })
      process.on('SIGTERM', () => process.exit(0))
      ${STAY}`
    const { child, ring } = await startScript(dir, source)
    const grandchild = Number((await ring.waitFor(/^stubborn/)).split(' ')[1])
    await child.terminate({ graceMs: 15_000 })
    expect(await child.exited).toMatchObject({ code: 0 })
    await expect.poll(() => isAlive(grandchild)).toBe(false)
  })

  it('does not keep the end waiting when a stray outside it holds the output open', async () => {
    await using dir = await tempDir()
    const { child, ring } = await startScript(dir, forking(`{ stdio: 'inherit', detached: true }`))
    const stray = Number((await ring.waitFor(/^grandchild/)).split(' ')[1])
    try {
      await child.terminate({ graceMs: 5000 })
      expect(await child.exited).toMatchObject({ signal: 'SIGTERM' })
    } finally {
      process.kill(stray, 'SIGKILL')
    }
  })
})
