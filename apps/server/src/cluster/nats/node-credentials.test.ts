import { eventually, patienceMs, type RunningNats, startNats } from '@svc/test-kit'
import { afterAll, describe, expect, it } from 'vitest'
import { installProgressSubject, nodeSubject } from '../contract/subjects.ts'
import { openMessenger, type TestMessenger } from './__fixtures__/open-messenger.ts'
import { createNodeCredentials, frontEndInbox, nodeInbox } from './node-credentials.ts'

const nats = await startNats()
afterAll(() => nats[Symbol.asyncDispose]())
const server = nats as RunningNats
const soon = { signal: new AbortController().signal, timeoutMs: patienceMs(2000) }

it('says why the credentials were not tried', (context) => {
  if (!nats.available) context.skip(nats.reason)
})

it('wants the seed of an account', async () => {
  await expect(createNodeCredentials({ accountSeed: 'SAnonsense', ttlMs: 1000 })).rejects.toThrow()
  const { seed } = nats.available ? nats.service : { seed: '' }
  await expect(createNodeCredentials({ accountSeed: seed, ttlMs: 1000 })).rejects.toThrow()
})

describe.skipIf(!nats.available)('credentials of a worker', () => {
  async function openWorker(
    nodeId: string,
    inbox: 'own' | 'shared' = 'own',
    kind: 'backend' | 'agent' = 'backend',
  ): Promise<TestMessenger> {
    const credentials = await createNodeCredentials({ accountSeed: server.accountSeed, ttlMs: 3_600_000 })
    const now = Date.now()
    const grant = await credentials.mint({ nodeId, kind, inbox }, now)
    expect(Math.abs(grant.expiresAt - now - 3_600_000)).toBeLessThan(1001)
    return openMessenger(server, { user: grant, inboxPrefix: inbox === 'own' ? nodeInbox(nodeId) : '_INBOX' })
  }
  const openFront = (): Promise<TestMessenger> => openMessenger(server, { inboxPrefix: frontEndInbox('front.1') })

  it('let it answer and report for itself', async () => {
    await using front = await openFront()
    await using worker = await openWorker('n 1')
    worker.serve(nodeSubject('n 1', 'backend.list'), async () => ({ backends: [] }))
    const heard: unknown[] = []
    front.subscribe('nodes.*.backend.install.*.progress', (payload) => heard.push(payload))
    await eventually(async () => {
      expect(await front.request(nodeSubject('n 1', 'backend.list'), {}, soon)).toEqual({ backends: [] })
    })
    worker.publish(installProgressSubject('n 1', 'op'), { percentage: 5 })
    await eventually(() => expect(heard).toEqual([{ percentage: 5 }]))
    expect(worker.lines).toEqual([])
  })

  it.each(['own', 'shared'] as const)(
    'with its %s inbox do not let it hear, answer or speak for others',
    async (inbox) => {
      await using front = await openFront()
      await using victim = await openWorker('victim', inbox)
      await using thief = await openWorker('thief', inbox)
      const stolen: string[] = []
      const subjects = [
        'nodes.victim.>',
        '>',
        'svc.inbox.>',
        'svc.hints.>',
        ...(inbox === 'own' ? ['_INBOX.>', '_INBOX.victim.>'] : []),
      ]
      for (const subject of subjects) thief.subscribe(subject, (_, from) => stolen.push(`heard ${from}`))
      thief.serve(nodeSubject('victim', 'backend.list'), async () => 'stolen')
      victim.serve(nodeSubject('victim', 'backend.list'), async () => 'mine')
      // Before the front end listens itself: the server tells only then that nobody answers yet.
      await eventually(async () => {
        expect(await front.request(nodeSubject('victim', 'backend.list'), {}, soon)).toBe('mine')
      })
      front.subscribe('svc.hints.>', () => stolen.push('hint'))
      front.subscribe('nodes.victim.>', (payload) => payload === 'forged' && stolen.push('forged'))
      // The server knows both subscriptions by the time of the reply.
      await front.request(nodeSubject('victim', 'backend.list'), {}, soon)
      for (const subject of [
        'svc.hints.rights.revoked',
        installProgressSubject('victim', 'op'),
        nodeSubject('victim', 'backend.stop'),
      ]) {
        thief.publish(subject, 'forged')
      }
      await expect(thief.request(nodeSubject('victim', 'backend.list'), {}, soon)).rejects.toMatchObject({
        code: 'bus_forbidden',
      })
      for (let count = 0; count < 20; count += 1) await front.request(nodeSubject('victim', 'backend.list'), {}, soon)
      expect(stolen).toEqual([])
      expect(thief.lines.length).toBeGreaterThanOrEqual(subjects.length)
    },
  )

  it('of agents let it take jobs and nothing of other workers', async () => {
    await using front = await openFront()
    await using agent = await openWorker('a1', 'own', 'agent')
    const heard: string[] = []
    agent.subscribe('agent.execute', (_, subject) => heard.push(subject), { queue: 'workers' })
    agent.subscribe('nodes.a1.backend.stop', (_, subject) => heard.push(subject))
    agent.subscribe('nodes.n1.backend.install', (_, subject) => heard.push(subject))
    await eventually(() => expect(agent.lines).toHaveLength(1))
    for (const subject of ['agent.execute', 'nodes.n1.backend.install', 'nodes.a1.backend.stop'])
      front.publish(subject, {})
    await eventually(() => expect(heard).toEqual(['agent.execute', 'nodes.a1.backend.stop']))
  })
})
