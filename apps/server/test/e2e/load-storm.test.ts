import { cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { type MockScript, mockOptions } from '@svc/backend-mock/script'
import { demoModels } from '@svc/demo-models'
import { eventually, tempDir } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import { stringify } from 'yaml'
import { readProcessStat } from '../../src/backends/process-table.ts'
import { type BuiltServer, CAN_SEE_PROCESSES, startBuiltServer } from '../support/built-server.ts'
import { createDice, type Dice, type StormOutcome, sendChat } from './storm.ts'

/** 10 s; ten minutes with `SVC_LONG=1`, or `STORM_SECONDS`. */
const SECONDS = Number(process.env.STORM_SECONDS) || (process.env.SVC_LONG === '1' ? 600 : 10)
const SEED = Number(process.env.STORM_SEED) || 20_261_121
const MODELS = 50
/** Every fifth model is a GGUF file for the llama backend, the others use the mock. */
const LLAMA_EVERY = 5
const LIMIT = 3
const CLIENTS = 8
/** Rare enough for loads to finish on a busy machine. */
const KILL_EVERY_MS = 2500
/** Limit of an answer: the wait for a place, a load, and delays of a busy machine. */
const PATIENCE_MS = 120_000
/** Allowed growth of the heap: bounded caches, and code that was compiled meanwhile. */
const HEAP_ALLOWANCE_BYTES = 12 * 1024 ** 2

/** Answers in pieces, so that clients leave and backends die in the middle of them. */
const SCRIPT: MockScript = {
  rules: [{ rpc: 'PredictStream', do: { pieces: ['tick '], repeat: 20, pieceDelayMs: 5 } }],
}

/** Writes weights of 1.6 MB for each model, so that each one has its own file. */
function writeModels(folder: string): readonly string[] {
  const weights = demoModels[0]?.file ?? ''
  mkdirSync(join(folder, 'models'), { recursive: true })
  return Array.from({ length: MODELS }, (_, index) => {
    const name = `model-${String(index).padStart(2, '0')}`
    cpSync(weights, join(folder, 'models', `${name}.gguf`))
    const isLlama = index % LLAMA_EVERY === 0
    const text = stringify({
      name,
      backend: isLlama ? 'llama' : 'mock',
      known_usecases: ['chat'],
      threads: 1,
      context_size: 256,
      parameters: { model: `${name}.gguf` },
      ...(isLlama ? {} : { options: mockOptions(SCRIPT) }),
    })
    writeFileSync(join(folder, 'models', `${name}.yaml`), text)
    return name
  })
}

interface Figures {
  readonly heapBytes: number
  readonly openFiles: number
}

/** Measures several times and takes the minimum: the end of an allocation recording collects garbage. */
async function measure(server: BuiltServer): Promise<Figures> {
  const tries: Figures[] = []
  for (let round = 0; round < 5; round += 1) tries.push(await measureOnce(server))
  return {
    heapBytes: Math.min(...tries.map(({ heapBytes }) => heapBytes)),
    openFiles: Math.min(...tries.map(({ openFiles }) => openFiles)),
  }
}

async function measureOnce(server: BuiltServer): Promise<Figures> {
  const { url } = await server.logged('diagnostics are listening')
  await (await fetch(`${String(url)}heap?seconds=0.2`)).text()
  const runtime = (await (await fetch(`${String(url)}runtime`)).json()) as {
    memory: { heapUsed: number; external: number }
  }
  const metrics = await (await fetch(`${server.url}/metrics`)).text()
  const openFiles = Number(/^process_open_fds (\d+)/m.exec(metrics)?.[1])
  return { heapBytes: runtime.memory.heapUsed + runtime.memory.external, openFiles }
}

async function loadedModels(server: BuiltServer): Promise<readonly string[]> {
  const { loaded_models: loaded } = (await (await fetch(`${server.url}/system`)).json()) as {
    loaded_models: { id: string }[]
  }
  return loaded.map(({ id }) => id)
}

/** Stops every model through the route; the server goes on. A load whose clients have left finishes first. */
async function stopAll(server: BuiltServer): Promise<void> {
  await eventually(
    async () => {
      const loaded = await loadedModels(server)
      for (const model of loaded) await stopModel(server, model)
      expect([loaded, server.backends()]).toEqual([[], []])
    },
    { intervalMs: 100 },
  )
}

async function stopModel(server: BuiltServer, model: string): Promise<void> {
  const reply = await fetch(`${server.url}/backend/shutdown`, { method: 'POST', body: JSON.stringify({ model }) })
  await reply.arrayBuffer()
}

interface Storm {
  readonly server: BuiltServer
  readonly models: readonly string[]
  readonly dice: Dice
  readonly signal: AbortSignal
  readonly counts: Map<StormOutcome | 'lost' | 'killed', number>
  readonly losses: unknown[]
}

function count({ counts }: Storm, what: StormOutcome | 'lost' | 'killed'): void {
  counts.set(what, (counts.get(what) ?? 0) + 1)
}

/** A client that asks for one model after the other and leaves every third request in the middle. */
async function runClient(storm: Storm): Promise<void> {
  const { server, models, dice, signal } = storm
  while (!signal.aborted) {
    const request = {
      url: server.url,
      model: models[dice.below(models.length)] ?? '',
      stream: dice.below(2) === 0,
      leaveAfterMs: dice.below(3) === 0 ? dice.below(1500) : undefined,
      patienceMs: PATIENCE_MS,
    }
    try {
      count(storm, await sendChat(request))
    } catch (error) {
      count(storm, 'lost')
      storm.losses.push(error)
    }
  }
}

/** Sends KILL to random backends, whatever they do at that moment. */
async function runKiller(storm: Storm): Promise<void> {
  const { server, dice, signal } = storm
  while (!signal.aborted) {
    await sleep(KILL_EVERY_MS * (0.5 + dice.next()), undefined, { signal }).catch(() => undefined)
    const pids = server.backends()
    const pid = pids[dice.below(Math.max(1, pids.length))]
    if (pid === undefined || signal.aborted) continue
    try {
      process.kill(pid, 'SIGKILL')
      count(storm, 'killed')
    } catch {
      // it has ended meanwhile
    }
  }
}

/** Counts live backends, each with the processes that it started: a group of its own. */
function liveBackends(server: BuiltServer): number {
  const groups = server.backends().map((pid) => readProcessStat(pid)?.groupId)
  const own = readProcessStat(server.pid)?.groupId
  return new Set(groups.filter((group) => group !== undefined && group !== own)).size
}

/** Records the highest numbers of models and backends at the same time. */
async function runObserver({ server, signal }: Storm): Promise<{ models: number; backends: number }> {
  const most = { models: 0, backends: 0 }
  while (!signal.aborted) {
    most.models = Math.max(most.models, (await loadedModels(server)).length)
    most.backends = Math.max(most.backends, liveBackends(server))
    await sleep(50, undefined, { signal }).catch(() => undefined)
  }
  return most
}

async function runStorm(server: BuiltServer, models: readonly string[], seconds: number, seed: number) {
  const storm: Storm = {
    server,
    models,
    dice: createDice(seed),
    signal: AbortSignal.timeout(seconds * 1000),
    counts: new Map(),
    losses: [],
  }
  const observing = runObserver(storm)
  await Promise.all([runKiller(storm), ...Array.from({ length: CLIENTS }, () => runClient(storm))])
  return { ...storm, most: await observing }
}

describe.runIf(CAN_SEE_PROCESSES)('a load storm', () => {
  // verifies residency:stop:evicted, residency:reload:after-crash, residency:reload:after-stop
  it(
    `of ${SECONDS} s over ${MODELS} models with ${LIMIT} places, aborts and kill -9: every request is answered, and no process, model or memory stays behind`,
    async () => {
      await using dir = await tempDir('svc-e2e-')
      const models = writeModels(dir.path)
      await using server = await startBuiltServer({
        folder: dir.path,
        mock: {},
        env: { SVC_DEMO_MODEL: 'false' },
        flags: [
          `--max-active-backends=${LIMIT}`,
          '--model-load-failure-cooldown=500ms',
          '--pprof',
          '--pprof-address=127.0.0.1:0',
        ],
      })
      // after a first round all code, caches and files are warm
      await runStorm(server, models, Math.max(3, SECONDS / 20), SEED + 1)
      await stopAll(server)
      const before = await measure(server)

      const storm = await runStorm(server, models, SECONDS, SEED)
      await stopAll(server)
      const after = await measure(server)

      console.info(
        JSON.stringify({
          seconds: SECONDS,
          seed: SEED,
          ...Object.fromEntries(storm.counts),
          most: storm.most,
          before,
          after,
        }),
      )
      expect(storm.losses).toEqual([])
      expect(storm.counts.get('served')).toBeGreaterThan(0)
      expect(storm.counts.get('killed')).toBeGreaterThan(0)
      expect(storm.most.models).toBeLessThanOrEqual(LIMIT)
      expect(storm.most.backends).toBeLessThanOrEqual(LIMIT)
      expect(after.heapBytes - before.heapBytes).toBeLessThan(HEAP_ALLOWANCE_BYTES)
      // each client may keep one connection open for its next request
      expect(after.openFiles).toBeLessThanOrEqual(before.openFiles + CLIENTS)
      expect(await server.stop()).toEqual({ code: 0, signal: null })
      expect(server.backends()).toEqual([])
    },
    SECONDS * 2000 + 300_000,
  )
})
