import { readdir } from 'node:fs/promises'
import { eventually, tempDir } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openBalancer } from '../support/balancer.ts'
import { type BuiltCluster, startBuiltCluster } from '../support/built-cluster.ts'
import type { BuiltServer } from '../support/built-server.ts'
import type { BuiltWorker } from '../support/built-worker.ts'

const cluster = await startBuiltCluster()

describe.skipIf(cluster === undefined)('a cluster of built programs', () => {
  const { admin, startFrontEnd, startWorker } = cluster as BuiltCluster
  let [one, other] = [undefined, undefined] as unknown as [BuiltServer, BuiltServer]
  let worker: BuiltWorker
  const folder = tempDir('svc-worker-')
  const chat = (
    server: Pick<BuiltServer, 'url'>,
    model: string,
    extra: Readonly<Record<string, unknown>> = {},
    headers: Readonly<Record<string, string>> = {},
  ) =>
    fetch(`${server.url}/v1/chat/completions`, {
      method: 'POST',
      headers: { ...admin, ...headers },
      body: JSON.stringify({ model, messages: [{ role: 'user', content: 'Say hello.' }], max_tokens: 8, ...extra }),
    })

  beforeAll(async () => {
    ;[one, other] = await Promise.all([startFrontEnd(), startFrontEnd()])
    worker = await startWorker('w1', { folder: (await folder).path })
  })
  afterAll(async () => {
    await worker?.end('SIGKILL')
    for (const pid of worker?.backends() ?? []) process.kill(pid, 'SIGKILL')
    await (await folder).close()
    await one?.[Symbol.asyncDispose]()
    await other?.[Symbol.asyncDispose]()
    await cluster?.[Symbol.asyncDispose]()
  })

  it('sends a shipped model to a worker, and answers through both front ends', async () => {
    const replies = await Promise.all([chat(one, 'demo'), chat(other, 'demo')])
    expect(replies.map(({ status, headers }) => [status, headers.get('x-localai-node')])).toEqual([
      [200, 'w1'],
      [200, 'w1'],
    ])
    for (const reply of replies) {
      expect(await reply.json()).toMatchObject({ choices: [{ message: { content: expect.stringContaining('ello') } }] })
    }
    expect(await findFiles(worker.folder, 'demo.gguf')).toHaveLength(1)
    await eventually(() => expect(worker.backends()).toHaveLength(1))
    expect([one.backends(), other.backends()]).toEqual([[], []])
    // Of another machine nothing is accounted; the clients of `/api/ps` need a number.
    const read = async (path: string): Promise<unknown> => (await fetch(one.url + path, { headers: admin })).json()
    expect(JSON.stringify(await read('/system'))).not.toContain('size_vram')
    expect(await read('/api/ps')).toMatchObject({ models: [{ name: 'demo:latest', size_vram: 0 }] })
  })

  it('goes on without the bus for models that are loaded', async () => {
    await cluster?.nats.halt()
    for (const server of [one, other]) expect((await chat(server, 'demo')).status).toBe(200)
    await cluster?.nats.resume()
    for (const { url } of [one, other]) {
      // A server without the bus is ready too, and says so.
      await eventually(async () => expect(await (await fetch(`${url}/readyz`)).text()).toBe(''))
    }
  })

  it('tells a stream that its backend died, and loads the model again for the next request', async () => {
    const reply = await chat(one, 'demo', { stream: true, max_tokens: 2000, ignore_eos: true })
    const reader = (reply.body ?? expect.unreachable()).getReader()
    const { value: first } = await reader.read()
    for (const pid of worker.backends()) process.kill(pid, 'SIGKILL')
    const rest = await readRest(reader)
    // On a busy machine the first read may hold the whole answer.
    expect(Buffer.from(first ?? []).toString() + rest).toMatch(/"error"|\[DONE\]/)
    expect((await chat(other, 'demo')).status).toBe(200)
  })

  it('loses no request while a front end is replaced', async () => {
    const portOf = ({ url }: BuiltServer): number => Number(new URL(url).port)
    await using balancer = await openBalancer([one, other].map(portOf))
    let isOver = false
    const statuses: number[] = []
    const clients = [1, 2, 3].map(async () => {
      while (!isOver) {
        // A balancer chooses for each connection.
        const reply = await chat({ url: balancer.url }, 'demo', {}, { connection: 'close' })
        statuses.push((await reply.text()).includes('"content"') ? reply.status : 0)
      }
    })
    await eventually(() => expect(statuses.length).toBeGreaterThan(3))
    balancer.leave(portOf(one))
    await eventually(() => expect(balancer.open(portOf(one))).toBe(0))
    expect((await one.stop()).code).toBe(0)
    await one[Symbol.asyncDispose]()
    one = await startFrontEnd()
    balancer.join(portOf(one))
    const before = statuses.length
    await eventually(() => expect(statuses.length).toBeGreaterThan(before + 3))
    isOver = true
    await Promise.all(clients)
    expect(statuses.filter((status) => status !== 200)).toEqual([])
  })

  it('goes on when a front end is killed', async () => {
    await one.kill()
    expect((await chat(other, 'demo')).status).toBe(200)
    await one[Symbol.asyncDispose]()
    one = await startFrontEnd()
    expect((await chat(one, 'demo')).status).toBe(200)
  })

  it('loses no process when a worker is killed, and takes the worker back', async () => {
    const before = worker.backends()
    await worker.end('SIGKILL')
    // Its backends answer until they are ended.
    expect([200, 503]).toContain((await chat(other, 'demo')).status)
    worker = await startWorker('w1', { folder: worker.folder })
    await eventually(async () => expect((await chat(other, 'demo')).status).toBe(200))
    expect(before.filter((pid) => worker.backends().includes(pid))).toEqual([])
    expect((await worker.end('SIGTERM')).code).toBe(0)
    expect(worker.backends()).toEqual([])
  })
})

async function readRest(reader: ReadableStreamDefaultReader<Uint8Array>): Promise<string> {
  let text = ''
  try {
    for (;;) {
      const { done, value } = await reader.read()
      if (done) return text
      text += Buffer.from(value).toString()
    }
  } catch {
    return `${text} "error": the connection was cut`
  }
}

async function findFiles(folder: string, name: string): Promise<readonly string[]> {
  const all = await readdir(folder, { recursive: true, withFileTypes: true })
  return all.filter((entry) => entry.isFile() && entry.name === name).map((entry) => entry.name)
}
