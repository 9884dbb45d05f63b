import { randomUUID } from 'node:crypto'
import { setTimeout as delay } from 'node:timers/promises'
import { createLocalPrincipal } from '@svc/auth'
import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { systemClock } from '../clock.ts'
import { databasePlaces, silentLogger } from '../db/__fixtures__/places.ts'
import type { Database } from '../db/database.ts'
import { openDatabase } from '../db/open-database.ts'
import type { PredictionEvent } from '../inference/core/events.ts'
import type { ToolHints } from '../inference/tools/hosted-tool.ts'
import type { ModelRun, RunModel } from './ask-model.ts'
import { type ClaimedJob, type JobDraft, type JobOutcome, NO_MEDIA } from './job.ts'
import { createJobStore, JobLost, type JobStore } from './job-store.ts'
import { type RunJobParts, runJob } from './run-job.ts'
import { createTaskStore } from './task-store.ts'

const places = await databasePlaces()
const signal = new AbortController().signal

const DRAFT: JobDraft = {
  ...{ taskId: 't', agent: '', owner: 'local', triggeredBy: 'manual', model: 'm', prompt: 'Do it' },
  parameters: {},
  media: NO_MEDIA,
}

/** Stands for the end of a process: nothing runs after it, and nothing is tidied up. */
class Killed extends Error {}

const text = (said: string): PredictionEvent => ({ type: 'text-delta', choice: 0, text: said })

function call(id: string, tool: string, hints: ToolHints): PredictionEvent {
  const name = `do_${tool}`
  return {
    type: 'server-tool-call',
    choice: 0,
    id,
    source: 'mcp',
    server: 's',
    tool,
    name,
    arguments: '{"a":1}',
    hints,
  }
}

function result(id: string, tool: string, output: string): PredictionEvent {
  const name = `do_${tool}`
  return { type: 'server-tool-result', choice: 0, id, name, source: 'mcp', output, isError: false }
}

/** A step of a scripted model: events, or the end of the process. */
type Step = readonly PredictionEvent[] | 'kill'

/** A model that gives scripted events, and the runs that it was asked for. */
function createScript(...scripts: readonly (readonly Step[])[]): {
  readonly runs: ModelRun[]
  readonly runModel: RunModel
} {
  const runs: ModelRun[] = []
  const runModel: RunModel = {
    async run(asked, onEvents) {
      const script = scripts[runs.length] ?? []
      runs.push(asked)
      for (const step of script) {
        if (step === 'kill') throw new Killed()
        await onEvents(step)
      }
    },
  }
  return { runs, runModel }
}

const caller = {
  principal: createLocalPrincipal('local'),
  ...{ requestId: randomUUID(), log: silentLogger, useModel: () => undefined },
}

function start(
  store: JobStore,
  job: ClaimedJob,
  runModel: RunModel,
  findCaller: RunJobParts['findCaller'] = async () => caller,
): Promise<JobOutcome> {
  const parts = {
    ...{ store, runModel, clock: systemClock, idleMs: 60_000 },
    media: { fetch: async () => NO_MEDIA },
    findCaller,
    findAgent: () => Promise.reject(new Error('no agent')),
    onSteps: () => undefined,
  }
  return runJob(job, parts, signal)
}

async function claim(store: JobStore): Promise<ClaimedJob> {
  const job = await store.claim([])
  if (job === undefined) throw new Error('there is no job')
  return job
}

describe.each(places)('jobs on $name', ({ create }) => {
  async function withDatabase(work: (database: Database) => Promise<void>): Promise<void> {
    const place = await create()
    const options = { appVersion: '1.0.0', logger: silentLogger, clock: systemClock }
    const database = await openDatabase({ ...place.options, ...options })
    try {
      await work(database)
    } finally {
      await database.close()
      await place.close()
    }
  }
  const openStore = (database: Database, server = 'one') => createJobStore({ database, server, clock: systemClock })
  /** A store that is asked for jobs when all leases have run out. */
  const openLate = (database: Database): JobStore => {
    const store = openStore(database)
    return {
      ...store,
      async claim(running) {
        await database.queries.change((db, { agentJobs }) => db.update(agentJobs).set({ leaseUntil: 0 }))
        return store.claim(running)
      },
    }
  }

  it('goes on behind its last result after its server was killed in a call of the model', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      const id = await store.insert(DRAFT)
      const { runs, runModel } = createScript(
        [[text('I look.'), call('1', 'write', {})], [result('1', 'write', 'written')], 'kill'],
        [[text('All done.')]],
      )
      await expect(start(store, await claim(store), runModel)).rejects.toThrow(Killed)
      const again = await claim(store)
      expect([again.id, again.isTakenOver, again.openCalls]).toEqual([id, true, []])
      expect(await start(store, again, runModel)).toEqual({ status: 'completed', result: 'All done.' })
      expect(runs[1]?.messages).toEqual([
        { role: 'user', content: 'Do it' },
        {
          role: 'assistant',
          content: 'I look.',
          tool_calls: [{ id: '1', type: 'function', function: { name: 'do_write', arguments: '{"a":1}' } }],
        },
        { role: 'tool', tool_call_id: '1', content: 'written' },
      ])
      const kinds = (await store.listSteps(id)).map(({ kind }) => kind)
      expect(kinds).toEqual(['status', 'text', 'tool_call', 'tool_result', 'status'])
    }))

  it('fails with the name of a tool that may have changed something when it was killed inside of it', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      await store.insert(DRAFT)
      const { runs, runModel } = createScript([[call('1', 'read', { readOnly: true }), call('2', 'pay', {})], 'kill'])
      await expect(start(store, await claim(store), runModel)).rejects.toThrow(Killed)
      const outcome = await start(store, await claim(store), runModel)
      expect(outcome).toEqual({
        status: 'failed',
        error:
          'the server ended while the tool "pay" of the server "s" was running: the call may have happened, and was not repeated',
      })
      expect(runs).toHaveLength(1)
    }))

  it.each([{ readOnly: true }, { idempotent: true }])('repeats a call with %j', (hints) =>
    withDatabase(async (database) => {
      const store = openLate(database)
      await store.insert(DRAFT)
      const { runs, runModel } = createScript([[call('1', 'read', hints)], 'kill'], [[text('Read again.')]])
      await expect(start(store, await claim(store), runModel)).rejects.toThrow(Killed)
      expect(await start(store, await claim(store), runModel)).toEqual({ status: 'completed', result: 'Read again.' })
      expect(runs[1]?.messages).toEqual([{ role: 'user', content: 'Do it' }])
    }),
  )

  it('ends before a tool acts for an account that has lost its rights', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      const id = await store.insert(DRAFT)
      const { runModel } = createScript([[call('1', 'pay', {})], [result('1', 'pay', 'paid')]])
      const callers = [caller, undefined]
      const outcome = await start(store, await claim(store), runModel, async () => callers.shift())
      expect(outcome).toMatchObject({ status: 'failed', error: expect.stringContaining('may not use this server') })
      expect((await store.listSteps(id)).map(({ kind }) => kind)).toEqual(['status'])
    }))

  it('keeps calls whatever a model names them', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      const id = await store.insert({ ...DRAFT, model: 'm\0', prompt: 'a\0' })
      const { runModel } = createScript([[call('a\0', 'x\0', {})], [result('a\0', 'x\0', 'done'), text('End')]])
      expect(await start(store, await claim(store), runModel)).toMatchObject({ status: 'completed' })
      expect((await store.listSteps(id))[1]).toMatchObject({ callId: 'a\ufffd', toolName: 'do_x\ufffd' })
    }))

  it('is given up once its server has ended ten times', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      await store.insert(DRAFT)
      const { runs, runModel } = createScript(...Array.from({ length: 10 }, () => ['kill'] as const))
      for (let count = 0; count < 10; count += 1) {
        await expect(start(store, await claim(store), runModel)).rejects.toThrow(Killed)
      }
      const outcome = await start(store, await claim(store), runModel)
      expect(outcome).toMatchObject({ status: 'failed', error: expect.stringContaining('10 times') })
      expect(runs).toHaveLength(10)
    }))

  it('a call that has the id of an earlier one does not get its result', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      await store.insert(DRAFT)
      const read = call('1', 'read', { readOnly: true })
      const { runs, runModel } = createScript(
        [[read], [result('1', 'read', 'old')], 'kill'],
        [[read], [result('1', 'read', 'new')], [read], 'kill'],
        [],
      )
      for (let count = 0; count < 2; count += 1) {
        await expect(start(store, await claim(store), runModel)).rejects.toThrow(Killed)
      }
      await start(store, await claim(store), runModel)
      const results = runs[2]?.messages.flatMap((one) => (one.role === 'tool' ? [one.content] : []))
      expect(results).toEqual(['old', 'new'])
    }))

  it('a list of jobs ends where its texts get too long', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      const ids: string[] = []
      for (let count = 0; count < 3; count += 1) {
        ids.unshift(await store.insert({ ...DRAFT, prompt: 'x'.repeat(7_000_000) }))
        await delay(2)
      }
      expect((await store.list({ limit: 100 })).map(({ id }) => id)).toEqual(ids.slice(0, 2))
      expect(await store.list({ limit: 100, agent: 'none' })).toEqual([])
    }))

  it('loses the bytes of its media when it ends, and keeps the addresses', () =>
    withDatabase(async (database) => {
      const store = openStore(database)
      const address = 'https://pictures.example/a.png'
      const sources = [{ type: 'image', url: address } as const]
      const bytes = `data:image/png;base64,${'A'.repeat(4000)}`
      const media = { images: [bytes, address], videos: [], audios: ['AAAA'], files: [`${address}${bytes}`], sources }
      const left = { images: [address], videos: [], audios: [], files: [], sources }
      for (const end of ['finish', 'cancel'] as const) {
        const id = await store.insert({ ...DRAFT, media })
        const job = await claim(store)
        expect(job.media).toEqual(media)
        if (end === 'finish') await store.finish(job, { status: 'failed', error: 'x' })
        else expect(await store.cancel(id)).toBe(true)
        expect((await store.get(id))?.media).toEqual(left)
      }
      expect(await store.cancel('job_none')).toBe(false)
    }))

  it('a list of tasks ends where its texts get too long, and goes on after its last one', () =>
    withDatabase(async (database) => {
      const tasks = createTaskStore({ queries: database.queries, clock: systemClock })
      const texts = { cron: '', cronTimezone: 'UTC', cronMissed: 'skip', cronParameters: {}, mediaSources: [] } as const
      for (const name of ['c', 'a', 'b']) {
        const draft = { name, description: '', model: 'm', prompt: 'x'.repeat(7_000_000), enabled: true, ...texts }
        await tasks.create(draft, 'local')
      }
      const first = await tasks.list()
      expect(first.map(({ name }) => name)).toEqual(['a', 'b'])
      const rest = await tasks.list(first.at(-1)?.id)
      expect(rest.map(({ name }) => name)).toEqual(['c'])
      expect([await tasks.list(rest[0]?.id), await tasks.list('gone')]).toEqual([[], []])
    }))

  it('a job belongs to one server, and to another one only after its lease', () =>
    withDatabase(async (database) => {
      const [one, other] = [openStore(database), openStore(database, 'other')]
      await one.insert(DRAFT)
      const claims = await Promise.all([one.claim([]), other.claim([])])
      expect(claims.filter((job) => job !== undefined)).toHaveLength(1)
      const [mine, theirs] = claims[0] === undefined ? [other, one] : [one, other]
      const job = claims[0] ?? claims[1]
      if (job === undefined) throw new Error('nobody has the job')
      expect(await theirs.claim([])).toBeUndefined()
      // A copied data folder has the same id.
      const copies = [openStore(database), openStore(database, 'other')]
      if (database.dialect === 'postgres') {
        expect(await Promise.all(copies.map((copy) => copy.claim([])))).toEqual([undefined, undefined])
      }
      await mine.release(job)
      const taken = await claim(theirs)
      expect(taken.isTakenOver).toBe(true)
      await expect(mine.append(job, [], [])).rejects.toThrow(JobLost)
      await expect(mine.finish(job, { status: 'completed', result: '' })).rejects.toThrow(JobLost)
      await theirs.finish(taken, { status: 'completed', result: 'one end' })
      expect((await mine.get(job.id))?.result).toBe('one end')
    }))

  it('a cancelled job writes nothing more, and old jobs are removed with their steps', () =>
    withDatabase(async (database) => {
      const store = openLate(database)
      const id = await store.insert(DRAFT)
      const job = await claim(store)
      await store.append(job, [{ kind: 'status', content: 'a\0b', createdAt: 1 }], [])
      expect(await store.cancel(id)).toBe(true)
      expect(await store.cancel(id)).toBe(false)
      await expect(store.append(job, [{ kind: 'status', content: 'late', createdAt: 1 }], [])).rejects.toThrow(JobLost)
      expect((await store.listSteps(id)).map(({ content }) => content)).toEqual(['a\ufffdb'])
      expect(await store.trim(0)).toBe(0)
      expect(await store.trim(Date.now() + 1000)).toBe(1)
      expect([await store.get(id), await store.listSteps(id)]).toEqual([undefined, []])
    }))
})

it('a refusal that passes is waited for, and another one ends the job', async () => {
  const store = { append: async () => undefined, listSteps: async () => [] } as unknown as JobStore
  const job = { ...DRAFT, id: 'j', steps: 0, fence: 1, openCalls: [], isTakenOver: false } as unknown as ClaimedJob
  let tries = 0
  const runModel: RunModel = {
    async run(_, onEvents) {
      tries += 1
      if (tries === 1) throw new SvcError('rate_limited', 'full', { code: 'full', retryAfterMs: 1 })
      if (tries === 2) await onEvents([text('Now.')])
      else throw new SvcError('not_found', 'no such model', { code: 'model_not_found' })
    },
  }
  expect(await start(store, job, runModel)).toEqual({ status: 'completed', result: 'Now.' })
  expect(await start(store, job, runModel)).toEqual({ status: 'failed', error: 'no such model' })
})

it('a job whose steps are too long together ends', async () => {
  const store = { append: async () => undefined, listSteps: async () => [] } as unknown as JobStore
  const job = { ...DRAFT, id: 'j', steps: 0, fence: 1, openCalls: [], isTakenOver: false } as unknown as ClaimedJob
  const output = 'x'.repeat(1_000_000)
  const turns = Array.from({ length: 130 }, (_, index) => [
    [call(`${index}`, 'read', { readOnly: true })],
    [result(`${index}`, 'read', output)],
  ])
  const outcome = await start(store, job, createScript(turns.flat()).runModel)
  expect(outcome).toMatchObject({ status: 'failed', error: expect.stringContaining('33554432 characters') })
})
