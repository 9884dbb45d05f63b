import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { createInterface } from 'node:readline'
import { promisify } from 'node:util'
import { createBackendClient } from '@svc/backend-client'
import { patience, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { programArguments, startProgram } from './program.ts'

const run = promisify(execFile)

it('prints its usage to stdout on --help', async () => {
  const { stdout } = await run(process.execPath, [...programArguments('backend'), '--help'])
  expect(stdout).toMatch(/^usage: --addr/)
})

it.each([[[]], [['--addr', 'nowhere']], [['--port', '1']]])('explains %j on stderr and exits with 2', async (argv) => {
  const failed = run(process.execPath, [...programArguments('backend'), ...argv])
  await expect(failed).rejects.toMatchObject({ code: 2, stdout: '', stderr: expect.stringContaining('usage: --addr') })
})

it('exits with 1 and one sentence when its address is taken', async () => {
  await using program = startProgram(['--addr', '127.0.0.1:0'])
  const address = await program.address
  const failed = run(process.execPath, [...programArguments('backend'), '--addr', address])
  await expect(failed).rejects.toMatchObject({
    code: 1,
    stderr: expect.stringContaining(`address already in use: ${address}`),
  })
})

it('asks for the token in its environment', async () => {
  await using program = startProgram(['--addr', '127.0.0.1:0'], { LOCALAI_GRPC_AUTH_TOKEN: 'right' })
  const address = await program.address
  await using client = createBackendClient({ address, token: 'right' })
  await using stranger = createBackendClient({ address })
  await client.health()
  await expect(stranger.health()).rejects.toMatchObject({ kind: 'unauthenticated' })
})

it('finishes a running stream on SIGTERM, frees its engine, removes its socket and exits with 0', async () => {
  await using folder = await tempDir()
  const path = folder.join('a.sock')
  await using program = startProgram(['--addr', `unix:${path}`])
  await using client = createBackendClient({ address: await program.address })
  let text = ''
  for await (const { message } of client.predictStream({ Tokens: 5 })) {
    if (text === '') program.child.kill('SIGTERM')
    text += message.toString()
  }
  expect(text).toBe('0 1 2 3 4 ')
  expect(await program.exited).toBe(0)
  expect(program.output()).toContain('engine freed')
  expect(existsSync(path)).toBe(false)
})

it('exits at once on a second signal', async () => {
  await using program = startProgram(['--addr', '127.0.0.1:0'])
  await using client = createBackendClient({ address: await program.address })
  const replies = client.predictStream({ Tokens: 1_000_000 })
  await replies.next()
  program.child.kill('SIGTERM')
  // The first signal has arrived when new calls are refused.
  await expect(untilFailure(() => client.loadModel({}))).resolves.toMatchObject({ kind: 'unavailable' })
  program.child.kill('SIGINT')
  expect(await program.exited).toBe(1)
  await expect(drain(replies)).rejects.toMatchObject({ kind: 'unavailable' })
})

it('aborts unfinished calls, and still exits with 0', async () => {
  await using program = startProgram(['--addr', '127.0.0.1:0'])
  await using client = createBackendClient({ address: await program.address })
  const replies = client.predictStream({ Tokens: 1_000_000 })
  await replies.next()
  program.child.kill('SIGTERM')
  await expect(drain(replies)).rejects.toMatchObject({ kind: 'unavailable' })
  expect(await program.exited).toBe(0)
})

it.each(['throw', 'reject'])('ends with 1 and one line at an unexpected error in %s', async (way) => {
  await using program = startProgram(['--addr', '127.0.0.1:0'])
  await using client = createBackendClient({ address: await program.address })
  await client.tokenizeString({ Prompt: way }).catch(() => {})
  expect(await program.exited).toBe(1)
  expect(await program.complaints).toEqual([expect.stringMatching(/^error: Error: out of the blue at fall /)])
})

it('shows its death to a caller in the middle of a stream', async () => {
  await using program = startProgram(['--addr', '127.0.0.1:0'])
  await using client = createBackendClient({ address: await program.address })
  const replies = client.predictStream({ Tokens: 1_000_000 })
  await replies.next()
  program.child.kill('SIGKILL')
  await expect(drain(replies)).rejects.toMatchObject({ kind: 'unavailable' })
  await expect(client.health()).rejects.toMatchObject({ code: 'backend_unavailable' })
})

it('is not ready when its process has ended', async () => {
  await using folder = await tempDir()
  await using program = startProgram(['--addr', 'nowhere'])
  await using client = createBackendClient({ address: `unix:${folder.join('none.sock')}` })
  const { exited } = program
  await expect(client.waitUntilReady({ signal: patience(), exited })).rejects.toMatchObject({
    code: 'backend_exited',
  })
})

it('ends when its parent is killed, and removes its socket', async () => {
  await using folder = await tempDir()
  const path = folder.join('a.sock')
  const orphan = await startBelowParent(path, { LOCALAI_BACKEND_PARENT_WATCH_INTERVAL: '100ms' })
  orphan.parent.kill('SIGKILL')
  await orphan.ended
  expect(existsSync(path)).toBe(false)
})

it('ends when its starter was gone before the first check', async () => {
  await using folder = await tempDir()
  const command = [process.execPath, ...programArguments('backend'), '--addr', `unix:${folder.join('a.sock')}`]
  // The shell ends long before Node has started, and process 1 becomes the backend's parent.
  const shell = spawn('sh', ['-c', 'SVC_BACKEND_STARTER_PID=$$ "$@" &', 'sh', ...command], {
    stdio: ['ignore', 'ignore', 'ignore', 'pipe'],
  })
  const held = shell.stdio[3]
  if (!held || !('resume' in held)) throw new Error('no third pipe')
  held.resume()
  await new Promise<void>((resolve) => held.once('close', () => resolve()))
})

it('outlives its parent when the watch is off', async () => {
  await using folder = await tempDir()
  const path = folder.join('a.sock')
  const env = { LOCALAI_BACKEND_PARENT_WATCH: 'off', LOCALAI_BACKEND_PARENT_WATCH_INTERVAL: '20ms' }
  const orphan = await startBelowParent(path, env)
  await using client = createBackendClient({ address: `unix:${path}` })
  const pid = Number((await client.loadModel({})).message)
  const exited = new Promise((resolve) => orphan.parent.once('exit', resolve))
  orphan.parent.kill('SIGKILL')
  await exited
  // Fifty words, 20 ms apart: many intervals of a running watch.
  let words = 0
  for await (const _ of client.predictStream({ Tokens: 50 })) words += 1
  expect(words).toBe(50)
  process.kill(pid, 'SIGKILL')
  await orphan.ended
})

/** A backend whose parent is not this process; `ended` resolves when the backend is gone. */
async function startBelowParent(path: string, env: Readonly<Record<string, string>>) {
  const backend = [process.execPath, ...programArguments('backend'), '--addr', `unix:${path}`]
  const parent = spawn(process.execPath, [...programArguments('parent'), ...backend], {
    stdio: ['pipe', 'pipe', 'inherit', 'pipe'],
    env: { ...process.env, ...env },
  })
  const held = parent.stdio[3]
  if (!held || !('resume' in held) || !parent.stdout) throw new Error('no third pipe')
  const ended = new Promise<void>((resolve) => held.once('close', () => resolve()))
  held.resume()
  const { stdout } = parent
  await new Promise<void>((resolve) =>
    createInterface({ input: stdout }).on('line', (line) => line.startsWith('listening on') && resolve()),
  )
  return { parent, ended }
}

async function untilFailure(call: () => Promise<unknown>): Promise<unknown> {
  while (true) {
    try {
      await call()
    } catch (error) {
      return error
    }
  }
}

async function drain(replies: AsyncIterable<unknown>): Promise<void> {
  for await (const _ of replies);
}
