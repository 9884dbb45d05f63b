import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { type AddressInfo, createServer } from 'node:net'
import { fileURLToPath } from 'node:url'
import { createBackendClient } from '@svc/backend-client'
import { type MockScript, mockOptions, writeMockLauncher } from '@svc/backend-mock/script'
import { collectLines, eventually, type TempDir, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { silentLogger } from './__fixtures__/silent-logger.ts'
import type { BackendProgram } from './catalog.ts'
import type { Environment } from './child-environment.ts'
import { createProcessRecord } from './process-record.ts'
import { readProcessStat } from './process-table.ts'
import { createSupervisor, type Supervisor } from './supervisor.ts'

const hasProc = process.platform === 'linux'
const never = new AbortController().signal
const forModel = (modelName: string) => ({ modelName, signal: never })

interface World {
  readonly dir: TempDir
  readonly supervisor: Supervisor
  recorded(): Promise<readonly { readonly pid: number; readonly name: string }[]>
}

async function createWorld(
  environment: Environment = { PATH: process.env.PATH },
  options: { readonly externalToken?: string } = {},
) {
  const dir = await tempDir('svc-t-')
  await mkdir(dir.join('sockets'))
  const file = dir.join('backends.json')
  const record = createProcessRecord({ file, writeFile, logger: silentLogger })
  const supervisor = createSupervisor({
    environment,
    modelsPath: dir.path,
    socketParent: dir.join('sockets'),
    record,
    clock: systemClock,
    logger: silentLogger,
    ...options,
  })
  const world: World = {
    dir,
    supervisor,
    async recorded() {
      await record.settled()
      return JSON.parse(await readFile(file, 'utf8')).backends
    },
  }
  const close = async () => {
    await supervisor.close({ graceMs: 5000 })
    await dir.close()
  }
  return { ...world, [Symbol.asyncDispose]: close }
}

/** An installed backend: a folder with a run.sh. */
function mockProgram(dir: TempDir, script?: MockScript): BackendProgram {
  const { path } = writeMockLauncher({ folder: dir.path, script })
  return { kind: 'spawn', name: 'mock', command: path, args: [], cwd: dir.path, transport: 'tcp' }
}

async function shellProgram(dir: TempDir, lines: string): Promise<BackendProgram> {
  await writeFile(dir.join('run.sh'), `#!/bin/sh\n${lines}\n`, { mode: 0o755 })
  return { kind: 'spawn', name: 'scripted', command: dir.join('run.sh'), args: [], cwd: dir.path, transport: 'tcp' }
}

function isAlive(pid: number): boolean {
  const stat = readProcessStat(pid)
  return stat !== undefined && stat.state !== 'Z'
}

async function catchRejection(promise: Promise<unknown>): Promise<unknown> {
  return promise.then(
    () => undefined,
    (error: unknown) => error,
  )
}

describe('a run.sh backend', () => {
  it('starts on loopback with its own token, answers, and stops on request', async () => {
    await using world = await createWorld()
    const backend = await world.supervisor.start(mockProgram(world.dir), forModel('m'))
    expect(backend.client.address).toMatch(/^127\.0\.0\.1:\d+$/)
    const options = mockOptions({ record: world.dir.join('calls') })
    expect(await backend.client.loadModel({ Model: 'm', Options: options })).toMatchObject({ success: true })
    await backend.client.predict({ Prompt: 'hi', ModelIdentity: 'm' })
    const stranger = createBackendClient({ address: backend.client.address })
    await expect(stranger.health()).rejects.toMatchObject({ kind: 'unauthenticated' })
    stranger.close()
    expect(await world.recorded()).toMatchObject([{ pid: backend.pid, name: 'mock' }])
    expect(world.supervisor.logs.lines('m').map(({ text }) => text)).toContain(`listening on ${backend.client.address}`)

    await backend.stop({ graceMs: 15_000 })
    expect(await backend.exited).toMatchObject({ code: 0, signal: null })
    expect(await readFile(world.dir.join('calls'), 'utf8')).toContain('"Free"')
    expect(await world.recorded()).toEqual([])
    expect(world.supervisor.logs.lines('m')).not.toEqual([])
    world.supervisor.logs.clear('m')
    expect(world.supervisor.logs.lines('m')).toEqual([])
  })

  it.runIf(hasProc)('sees the allowed part of our environment and nothing else (PROC-2)', async () => {
    const environment = { PATH: process.env.PATH, HOME: '/home/x', OPENAI_API_KEY: 'sk-1', SVC_API_KEY: 'svc-1' }
    await using world = await createWorld(environment)
    const backend = await world.supervisor.start(mockProgram(world.dir), forModel('m'))
    const entries = (await readFile(`/proc/${backend.pid}/environ`, 'utf8')).split('\0').filter((entry) => entry !== '')
    const names = entries
      .map((entry) => entry.split('=')[0])
      .filter((name) => !/^(PWD|SHLVL|OLDPWD|_)$/.test(name ?? ''))
    expect(names.sort()).toEqual([
      'HF_HOME',
      'HOME',
      'HUGGINGFACE_HUB_CACHE',
      'LOCALAI_BACKEND_PARENT_WATCH',
      'LOCALAI_GRPC_AUTH_TOKEN',
      'PATH',
      'SVC_BACKEND_STARTER_PID',
      'TRANSFORMERS_CACHE',
    ])
  })

  it('is noticed at once when it is killed (REL-5)', async () => {
    await using world = await createWorld()
    const backend = await world.supervisor.start(mockProgram(world.dir), forModel('m'))
    process.kill(backend.pid ?? 0, 'SIGKILL')
    expect(await backend.exited).toMatchObject({ code: null, signal: 'SIGKILL' })
    expect(backend.hasExited()).toBe(true)
    expect(await world.recorded()).toEqual([])
    await expect(backend.client.health({ timeoutMs: 5000 })).rejects.toThrow()
  })
})

describe('a built-in backend', () => {
  it('listens on a socket file in a private folder, which is removed with it', async () => {
    await using world = await createWorld()
    const { command, args } = writeMockLauncher({ folder: world.dir.path })
    const program = { kind: 'spawn', name: 'own', command, args, cwd: world.dir.path, transport: 'unix' } as const
    const backend = await world.supervisor.start(program, forModel('m'))
    expect(backend.client.address).toMatch(/^unix:\/.+\/svc-backend-\w{6}\/grpc\.sock$/)
    expect(await readdir(world.dir.join('sockets'))).toHaveLength(1)
    await backend.stop({ graceMs: 15_000 })
    await eventually(async () => expect(await readdir(world.dir.join('sockets'))).toEqual([]))
  })
})

describe('a backend that does not start', () => {
  it('ends the wait the moment it exits, and says why without folders', async () => {
    await using world = await createWorld()
    const program = await shellProgram(world.dir, `echo 'cannot open /srv/models/weights.gguf' >&2; exit 3`)
    const error = await catchRejection(world.supervisor.start(program, { ...forModel('m'), attempts: 1000 }))
    expect(error).toMatchObject({
      kind: 'internal',
      code: 'backend_not_ready',
      message: 'grpc service not ready: backend process exited with code 3: cannot open weights.gguf',
    })
    expect(world.supervisor.logs.lines('m')).toMatchObject([
      { stream: 'stderr', text: 'cannot open /srv/models/weights.gguf' },
    ])
    expect(await world.recorded()).toEqual([])
  })

  it('is stopped when it is not healthy in time', async () => {
    await using world = await createWorld()
    const program = await shellProgram(world.dir, 'echo $$; exec sleep 1000')
    const start = world.supervisor.start(program, { ...forModel('m'), attempts: 1, attemptsSleepSeconds: 0.3 })
    expect(await catchRejection(start)).toMatchObject({ code: 'backend_not_ready', message: 'grpc service not ready' })
    expect(isAlive(Number(world.supervisor.logs.lines('m')[0]?.text))).toBe(false)
  })

  it('is stopped when no caller waits any more', async () => {
    await using world = await createWorld()
    const caller = new AbortController()
    const program = await shellProgram(world.dir, 'echo $$; exec sleep 1000')
    const start = catchRejection(world.supervisor.start(program, { modelName: 'm', signal: caller.signal }))
    await eventually(() => expect(world.supervisor.logs.lines('m')).not.toEqual([]))
    const reason = new Error('gone')
    caller.abort(reason)
    expect(await start).toBe(reason)
    expect(isAlive(Number(world.supervisor.logs.lines('m')[0]?.text))).toBe(false)
  })

  it('gets another port when its first was stolen', async () => {
    await using world = await createWorld()
    const mock = writeMockLauncher({ folder: world.dir.path, name: 'mock.sh' })
    const program = await shellProgram(
      world.dir,
      `if [ ! -e tried ]; then echo "$2" > tried; echo 'bind: address already in use' >&2; exit 1; fi
       exec "${mock.path}" "$@"`,
    )
    const backend = await world.supervisor.start(program, forModel('m'))
    const first = (await readFile(world.dir.join('tried'), 'utf8')).trim()
    expect(first).toMatch(/^127\.0\.0\.1:\d+$/)
    expect(backend.client.address).not.toBe(first)
  })

  it('of our own gets another port too', async () => {
    await using world = await createWorld()
    const mock = writeMockLauncher({ folder: world.dir.path, name: 'mock.sh' })
    const thief = createServer().listen(0, '127.0.0.1')
    await once(thief, 'listening')
    const { port } = thief.address() as AddressInfo
    const program = await shellProgram(
      world.dir,
      `if [ ! -e tried ]; then echo x > tried; exec "${mock.path}" --addr 127.0.0.1:${port}; fi
       exec "${mock.path}" "$@"`,
    )
    const backend = await world.supervisor.start(program, forModel('m'))
    expect(await readFile(world.dir.join('tried'), 'utf8')).toBe('x\n')
    expect(backend.client.address).not.toBe(`127.0.0.1:${port}`)
    thief.close()
  })

  it('gets no sixth port', async () => {
    await using world = await createWorld()
    const program = await shellProgram(world.dir, `echo x >> starts; echo 'EADDRINUSE' >&2; exit 1`)
    const error = await catchRejection(world.supervisor.start(program, forModel('m')))
    expect(error).toMatchObject({ code: 'address_taken' })
    expect(await readFile(world.dir.join('starts'), 'utf8')).toBe('x\n'.repeat(5))
  })

  it('fails by name when its program is gone', async () => {
    await using world = await createWorld()
    const program = { ...(await shellProgram(world.dir, '')), command: world.dir.join('gone.sh') } as BackendProgram
    expect(await catchRejection(world.supervisor.start(program, forModel('m')))).toMatchObject({
      code: 'backend_start_failed',
    })
    expect(await readdir(world.dir.join('sockets'))).toEqual([])
  })
})

describe('an attached backend', () => {
  it('is used where it is and left running', async () => {
    await using world = await createWorld()
    const { command, args } = writeMockLauncher({ folder: world.dir.path })
    const own = spawn(command, [...args, '--addr', '127.0.0.1:0'], { env: {} })
    const address = (await collectLines(own.stdout).waitFor('listening on')).split(' ')[2] ?? ''
    const backend = await world.supervisor.start({ kind: 'attach', name: 'remote', address }, forModel('m'))
    await backend.client.health()
    expect(backend.pid).toBeUndefined()
    await backend.stop({ graceMs: 1000 })
    expect(await backend.exited).toEqual({ code: null, signal: null, lastLines: [] })
    expect(backend.hasExited()).toBe(true)
    expect(own.exitCode).toBeNull()
    own.kill('SIGKILL')
  })
})

it('an attached backend is sent the token that the operator gave for such backends', async () => {
  await using world = await createWorld(undefined, { externalToken: 'shared' })
  const { command, args } = writeMockLauncher({ folder: world.dir.path })
  const own = spawn(command, [...args, '--addr', '127.0.0.1:0'], { env: { LOCALAI_GRPC_AUTH_TOKEN: 'shared' } })
  const address = (await collectLines(own.stdout).waitFor('listening on')).split(' ')[2] ?? ''
  const backend = await world.supervisor.start({ kind: 'attach', name: 'remote', address }, forModel('m'))
  await backend.client.health()
  await backend.stop({ graceMs: 1000 })
  const stranger = createBackendClient({ address })
  await expect(stranger.health()).rejects.toMatchObject({ kind: 'unauthenticated' })
  stranger.close()
  own.kill('SIGKILL')
})

describe('close', () => {
  it('stops everything at once and refuses new starts (REL-11)', async () => {
    await using world = await createWorld()
    const program = mockProgram(world.dir)
    const backends = await Promise.all(['a', 'b'].map((name) => world.supervisor.start(program, forModel(name))))
    const starting = catchRejection(world.supervisor.start(program, forModel('c')))
    await world.supervisor.close({ graceMs: 5000 })
    expect(await Promise.all(backends.map((backend) => backend.exited))).toMatchObject([{ code: 0 }, { code: 0 }])
    expect(await starting).toMatchObject({ code: 'shutting_down' })
    expect(await world.recorded()).toEqual([])
    expect(await catchRejection(world.supervisor.start(program, forModel('d')))).toMatchObject({
      kind: 'unavailable',
      code: 'shutting_down',
    })
  })

  it('kills processes that ignore TERM within its time', async () => {
    await using world = await createWorld()
    const mock = writeMockLauncher({ folder: world.dir.path, name: 'mock.sh' })
    const program = await shellProgram(world.dir, `trap '' TERM; "${mock.path}" "$@"; sleep 1000`)
    const backend = await world.supervisor.start(program, forModel('m'))
    await world.supervisor.close({ graceMs: 1000 })
    expect(await backend.exited).toMatchObject({ signal: 'SIGKILL' })
  })

  it('can be an instant kill instead', async () => {
    await using world = await createWorld()
    const backend = await world.supervisor.start(mockProgram(world.dir), forModel('m'))
    world.supervisor.killNow()
    expect(await backend.exited).toMatchObject({ signal: 'SIGKILL' })
  })
})

describe.runIf(hasProc)('a server that is killed', () => {
  it('leaves no backend behind: it watches its parent (PROC-4)', async () => {
    await using dir = await tempDir()
    const { path } = writeMockLauncher({ folder: dir.path })
    const script = fileURLToPath(new URL('./__fixtures__/supervising-server.ts', import.meta.url))
    const server = spawn(process.execPath, ['--conditions=@svc/source', '--import', 'tsx', script, dir.path, path])
    const pid = Number(await collectLines(server.stdout).waitFor(/^\d+$/))
    expect(isAlive(pid)).toBe(true)
    server.kill('SIGKILL')
    await eventually(() => expect(isAlive(pid)).toBe(false), { intervalMs: 50 })
  })
})
