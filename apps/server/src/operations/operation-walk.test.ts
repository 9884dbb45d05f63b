import { createDeferred, tempDir } from '@svc/test-kit'
import { expect, it } from 'vitest'
import { createBus } from '../bus/create-bus.ts'
import { systemClock } from '../clock.ts'
import { silentLogger } from '../db/__fixtures__/places.ts'
import { openDatabase } from '../db/open-database.ts'
import { isFinished, type Operation, type OperationAction, type OperationState } from './operation.ts'
import { openOperations } from './operation-queue.ts'
import { createOperationStore, MAX_HISTORY, type OperationStore } from './operation-store.ts'
import type { Operations, OperationWork } from './operations.ts'
import { keepsData } from './stopped-operation.ts'

const LONG = process.env.SVC_LONG === '1'
const STEPS = LONG ? 100_000 : 10_000
const CONCURRENCY = 2
/** Resumes of one installation that gets no further. */
const MAX_RESUMES = 3
const TARGETS = ['a', 'B', 'gallery@c', 'd']

/** Expected state of a job, by the specification. */
interface ModelJob {
  readonly id: string
  readonly target: string
  readonly action: OperationAction
  state: OperationState
  isCommitted: boolean
  isStopping: boolean
  finishedAt: number
  resumes: number
  error?: string | undefined
}

/** The states of §3.3, without a database and without time. */
class Model {
  jobs: ModelJob[] = []
  #finished = 0

  pending(): ModelJob[] {
    return this.jobs.filter(({ state }) => state === 'queued' || state === 'running')
  }

  in(state: OperationState): ModelJob[] {
    return this.jobs.filter((job) => job.state === state)
  }

  /** The job that a request joins. */
  joined(target: string, action: OperationAction): ModelJob | undefined {
    const last = this.pending()
      .filter((job) => job.target === target)
      .at(-1)
    return last?.action === action ? last : undefined
  }

  add(id: string, target: string, action: OperationAction): void {
    const job = {
      id,
      target,
      action,
      state: 'queued',
      isCommitted: false,
      isStopping: false,
      finishedAt: 0,
      resumes: 0,
    } as const
    this.jobs.push({ ...job })
    for (const failed of this.in('failed')) if (failed.target === target) this.end(failed, 'dismissed')
    this.schedule()
  }

  end(job: ModelJob, state: OperationState, error?: string): void {
    // A failure has ended when it failed, not when somebody has seen it.
    if (state !== 'dismissed') {
      this.#finished += 1
      job.finishedAt = this.#finished
    }
    job.state = state
    job.error = error ?? job.error
    for (const old of this.history().slice(MAX_HISTORY)) this.jobs.splice(this.jobs.indexOf(old), 1)
    this.schedule()
  }

  schedule(): void {
    for (const job of this.in('queued')) {
      const isFirst = this.pending().find(({ target }) => target === job.target) === job
      if (isFirst && this.in('running').length < CONCURRENCY) job.state = 'running'
    }
  }

  history(): ModelJob[] {
    const finished = this.jobs.filter(({ state }) => ['completed', 'cancelled', 'paused', 'dismissed'].includes(state))
    return finished.sort((one, other) => other.finishedAt - one.finishedAt)
  }

  restart({ isGraceful }: { readonly isGraceful: boolean }): void {
    for (const job of this.in('running')) {
      job.isCommitted = false
      job.isStopping = false
      if (job.action === 'installation' && (isGraceful || job.resumes < MAX_RESUMES)) {
        if (!isGraceful) job.resumes += 1
        job.state = 'queued'
        continue
      }
      this.#finished += 1
      job.finishedAt = this.#finished
      job.state = 'failed'
      job.error = 'interrupted by restart'
    }
    this.schedule()
  }
}

/** A generator of numbers from a seed (mulberry32). */
function createRandom(seed: number): (below: number) => number {
  let state = seed
  return (below) => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return Math.floor((((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32) * below)
  }
}

/** Work that a test ends by hand. */
interface Started {
  readonly work: OperationWork
  succeed(): void
  fail(error: Error): void
}

interface Run {
  readonly operations: Operations
  readonly started: Map<string, Started>
  /** Ends the run as a kill does: nothing of it reaches the database any more. */
  kill(): void
}

const never = new Promise<never>(() => undefined)

function mortal(store: OperationStore): { readonly store: OperationStore; kill(): void } {
  let isDead = false
  const calls = Object.entries(store).map(([name, call]: [string, (...values: never[]) => Promise<unknown>]) => [
    name,
    (...values: never[]) => (isDead ? never : call(...values)),
  ])
  return {
    store: Object.fromEntries(calls),
    kill: () => {
      isDead = true
    },
  }
}

async function startRun(underlying: OperationStore, now: () => number): Promise<Run> {
  const { store, kill } = mortal(underlying)
  const started = new Map<string, Started>()
  const operations = await openOperations({
    store,
    bus: createBus({ logger: silentLogger }),
    clock: { ...systemClock, now },
    logger: silentLogger,
    concurrency: CONCURRENCY,
  })
  for (const action of ['installation', 'deletion'] as const) {
    operations.register('model', action, (work) => {
      const { promise, resolve, reject } = createDeferred()
      started.set(work.jobId, { work, succeed: resolve, fail: reject })
      work.signal.addEventListener('abort', () => reject(work.signal.reason))
      return promise
    })
  }
  operations.start()
  return { operations, started, kill }
}

it(`goes through ${STEPS} random steps as the states of §3.3 say, with restarts`, { timeout: 600_000 }, async () => {
  await using dir = await tempDir()
  let time = 1_800_000_000_000
  const now = (): number => (time += 1)
  const clock = { ...systemClock, now }
  const database = await openDatabase({ dataPath: dir.path, appVersion: '1.0.0', logger: silentLogger, clock })
  const store = createOperationStore({ database, owner: 'walk' })
  const model = new Model()
  const random = createRandom(20_261_125)
  const pick = <T>(from: readonly T[]): T | undefined => from[random(from.length)]
  let run = await startRun(store, now)

  /** Waits until the work that runs is the work that should run. */
  const settle = async (): Promise<void> => {
    for (let turn = 0; turn < 10_000; turn += 1) {
      const seen = new Map(run.operations.list().map(({ jobId, state }) => [jobId, state]))
      const listed = model.jobs.filter(({ state }) => ['queued', 'running', 'failed'].includes(state))
      const asExpected =
        seen.size === listed.length &&
        listed.every((job) => seen.get(job.id) === job.state && (job.state !== 'running' || run.started.has(job.id)))
      if (asExpected) return
      await new Promise((resolve) => setImmediate(resolve))
    }
    expect.unreachable('the queue never comes to where the model is')
  }
  const compare = async (): Promise<void> => {
    const views = run.operations.list()
    expect(views.map(({ jobId, state, error }) => [jobId, state, error]).sort()).toEqual(
      model.jobs
        .filter(({ state }) => ['queued', 'running', 'failed'].includes(state))
        .map((job) => [job.id, job.state, job.error])
        .sort(),
    )
    for (const { jobId, state, action, cancellable } of views) {
      const committed = model.jobs.find(({ id }) => id === jobId)?.isCommitted === true
      const expected = state === 'queued' || (state === 'running' && action === 'installation' && !committed)
      expect(cancellable).toBe(expected)
    }
    const records = await run.operations.history()
    expect(records.map(({ jobId, state }) => [jobId, state])).toEqual(model.history().map((job) => [job.id, job.state]))
    expect(records.every(isFinished)).toBe(true)
  }
  const isCancellable = (job: ModelJob): boolean =>
    job.state === 'queued' || (job.state === 'running' && job.action === 'installation' && !job.isCommitted)

  const steps: readonly (() => Promise<unknown> | unknown)[] = [
    async function enqueue() {
      const target = pick(TARGETS) ?? ''
      const action = random(3) === 0 ? 'deletion' : 'installation'
      const joined = model.joined(target.toLowerCase(), action)
      const asked = random(2) === 0 ? target : target.toUpperCase()
      const request = { subject: 'model', action, fullName: asked, details: {} } as const
      const { jobId }: Operation = await run.operations.enqueue(request)
      if (joined === undefined) model.add(jobId, target.toLowerCase(), action)
      else expect(jobId).toBe(joined.id)
    },
    function succeed() {
      const job = pick(model.in('running'))
      if (job === undefined) return
      run.started.get(job.id)?.succeed()
      model.end(job, 'completed')
    },
    function fail() {
      const job = pick(model.in('running'))
      if (job === undefined) return
      run.started.get(job.id)?.fail(new Error('the work failed'))
      model.end(job, 'failed', 'the work failed')
    },
    function commit() {
      const job = pick(model.in('running'))
      if (job === undefined) return
      run.started.get(job.id)?.work.commit()
      job.isCommitted = true
    },
    ...(['cancel', 'pause'] as const).map((verb) => async () => {
      const job = pick(model.jobs)
      if (job === undefined) return
      if (!isCancellable(job)) {
        await expect(run.operations[verb](job.id)).rejects.toMatchObject({ kind: 'invalid_request' })
        return
      }
      const signal = job.state === 'running' ? run.started.get(job.id)?.work.signal : undefined
      await run.operations[verb](job.id)
      if (signal !== undefined) expect(keepsData(signal)).toBe(verb === 'pause')
      else expect(run.started.has(job.id)).toBe(false)
      model.end(job, verb === 'pause' ? 'paused' : 'cancelled')
    }),
    async function dismiss() {
      const job = pick(model.jobs)
      await run.operations.dismiss(job?.id ?? 'unknown')
      if (job?.state === 'failed') model.end(job, 'dismissed')
    },
    async function clear() {
      if (random(10) > 0) return
      await run.operations.clearHistory()
      for (const job of model.history()) model.jobs.splice(model.jobs.indexOf(job), 1)
    },
    async function restart() {
      if (random(4) > 0) return
      const isGraceful = random(2) === 0
      // A stop lets a change end that replaces files already; a kill does not.
      const isOpen = model.in('running').every((job) => !job.isCommitted)
      if (isGraceful && isOpen) await run.operations.close()
      else run.kill()
      model.restart({ isGraceful: isGraceful && isOpen })
      run = await startRun(store, now)
    },
  ]

  for (let step = 0; step < STEPS; step += 1) {
    await pick(steps)?.()
    await settle()
    if (step % 10 === 0) await compare()
  }
  await compare()
  await run.operations.close()
  await database.close()
})
