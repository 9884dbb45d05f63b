import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'
import { MAX_MESSAGE_BYTES } from '@svc/backend-client/proto'
import { type BackendHandlers, listenBackend, StatusError } from '@svc/backend-kit'
import { type MockScript, writeMockLauncher } from '@svc/backend-mock/script'
import type { TempDir } from '@svc/test-kit'

/** Abilities and wants of a peer beside answering, failing and hanging. */
export type Feature = 'load' | 'sizes' | 'gzip' | 'trailers' | 'cancel-report' | 'exit' | 'many'

/** A backend at an address. */
export interface RunningPeer {
  readonly address: string
  stop(): Promise<void>
}

/** An implementation of the backend contract that calls are tried on. */
export interface Peer {
  readonly name: string
  readonly features: ReadonlySet<Feature>
  /** The reason why it cannot be run here; undefined if it can. */
  readonly missing: string | undefined
  /** Prepares the first start. */
  build?(folder: TempDir): Promise<void>
  /** Starts it at its address in a folder, also again after it has exited. */
  start(folder: TempDir): Promise<RunningPeer>
}

const ALL: readonly Feature[] = ['sizes', 'gzip', 'trailers', 'cancel-report', 'exit', 'many']
const PYTHON = '/usr/bin/python3'
/** The text of a compressed reply. */
export const SQUEEZED = 'squeezed '.repeat(1000)

/** The text of a failure. */
export const FAILURE_TEXT = 'queue füll, 100% sure'

const here = (name: string): string => fileURLToPath(new URL(name, import.meta.url))
const works = (command: string, args: readonly string[]): boolean => spawnSync(command, args).status === 0

function startProgram(child: ChildProcess, address: string): RunningPeer {
  const exited = once(child, 'exit')
  return {
    address,
    async stop() {
      child.kill('SIGKILL')
      await exited
    },
  }
}

/** Our kit, in this process. */
function createKitPeer(): Peer {
  let wasCancelled = false
  const text = (message: string) => ({ message: Buffer.from(message) })
  const fail = (): never => {
    throw new StatusError(8, FAILURE_TEXT)
  }
  const hang = async (signal: AbortSignal): Promise<never> => {
    await once(signal, 'abort')
    wasCancelled = true
    throw signal.reason
  }
  const handlers: BackendHandlers = {
    async predict({ Prompt }, { signal, addTrailer }) {
      if (Prompt.includes('FAIL')) return fail()
      if (Prompt.includes('HANG')) return hang(signal)
      if (Prompt.includes('WAS_CANCELLED')) return text(wasCancelled ? 'yes' : 'no')
      if (Prompt.includes('SIZE')) return text(String(Buffer.byteLength(Prompt) + 5))
      if (Prompt.includes('BIG')) return { message: Buffer.alloc(MAX_MESSAGE_BYTES - 5, 'a') }
      if (Prompt.includes('TRAILERS')) addTrailer('svc-finish-reason', 'stop')
      return text('hello')
    },
    async *predictStream({ Prompt }, { signal }) {
      if (Prompt.includes('MANY')) {
        for (let index = 0; index < 5000; index += 1) yield text(`${index} `)
        return
      }
      yield text('a')
      if (Prompt.includes('FAIL')) fail()
      if (Prompt.includes('HANG')) await hang(signal)
      yield text('b')
      yield text('c')
    },
    embedding: () => ({ embeddings: [1, -2], dim: 2 }),
    tokenizeString: () => ({ length: 2, tokens: [7, 300] }),
  }
  return {
    name: 'our kit',
    features: new Set(['sizes', 'trailers', 'cancel-report', 'many'] as const),
    missing: undefined,
    async start() {
      const backend = await listenBackend({ handlers, address: '127.0.0.1:0' })
      return { address: backend.address, stop: () => backend.close({ graceMs: 0 }) }
    },
  }
}

/** The scripted backend, in a process. */
function createMockPeer(): Peer {
  const script: MockScript = {
    rules: [
      { rpc: 'Predict', contains: 'FAIL', do: { failure: { status: 'RESOURCE_EXHAUSTED', message: FAILURE_TEXT } } },
      {
        rpc: 'PredictStream',
        contains: 'FAIL',
        do: { pieces: ['a', 'b'], failure: { status: 'RESOURCE_EXHAUSTED', message: FAILURE_TEXT, afterPieces: 1 } },
      },
      { rpc: 'Predict', contains: 'HANG', do: { hang: true } },
      { rpc: 'PredictStream', contains: 'HANG', do: { pieces: ['a', 'b'], hang: 1 } },
      { rpc: 'PredictStream', contains: 'EXIT', do: { pieces: ['a', 'b'], crash: { how: 'kill', afterPieces: 1 } } },
      {
        rpc: 'PredictStream',
        contains: 'MANY',
        do: { pieces: Array.from({ length: 5000 }, (_, index) => `${index} `) },
      },
      { rpc: 'PredictStream', do: { pieces: ['a', 'b', 'c'] } },
      { rpc: 'Predict', do: { text: 'hello' } },
    ],
  }
  return {
    name: 'the scripted backend',
    features: new Set(['load', 'exit', 'many'] as const),
    missing: undefined,
    async start(folder) {
      const { path } = writeMockLauncher({ folder: folder.path, script })
      const address = `unix:${folder.join('mock.sock')}`
      return startProgram(spawn(path, ['--addr', address], { stdio: ['ignore', 'ignore', 'inherit'] }), address)
    },
  }
}

/** The gRPC library of Python. */
function createPythonPeer(): Peer {
  return {
    name: 'gRPC of Python',
    features: new Set(ALL),
    missing: works(PYTHON, ['-c', 'import grpc']) ? undefined : 'python3-grpcio is not installed',
    async start(folder) {
      const address = `unix:${folder.join('python.sock')}`
      return startProgram(
        spawn(PYTHON, [here('./peer.py'), address], { stdio: ['ignore', 'ignore', 'inherit'] }),
        address,
      )
    },
  }
}

/** The gRPC library of C++. */
function createCppPeer(): Peer {
  const flags = spawnSync('pkg-config', ['--cflags', '--libs', 'grpc++'], { encoding: 'utf8' })
  const canBuild = flags.status === 0 && works('g++', ['--version'])
  return {
    name: 'gRPC of C++',
    features: new Set(ALL),
    missing: canBuild ? undefined : 'libgrpc++-dev, pkg-config or g++ is not installed',
    async build(folder) {
      const args = ['-std=c++17', here('./peer.cc'), '-o', folder.join('peer'), ...flags.stdout.trim().split(/\s+/)]
      const compiler = spawn('g++', args, { stdio: ['ignore', 'ignore', 'inherit'] })
      const [code] = await once(compiler, 'exit')
      if (code !== 0) throw new Error('the peer in C++ could not be compiled')
    },
    async start(folder) {
      const address = `unix:${folder.join('cpp.sock')}`
      return startProgram(spawn(folder.join('peer'), [address], { stdio: ['ignore', 'ignore', 'inherit'] }), address)
    },
  }
}

/** Every implementation that calls are tried on. */
export const PEERS: readonly Peer[] = [createKitPeer(), createMockPeer(), createPythonPeer(), createCppPeer()]
