import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { type RunningNats, sourceArguments, startNats, type UnavailableNats } from '@svc/test-kit'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { busContract } from '../../bus/__fixtures__/bus-contract.ts'
import type { BusPeer, HeardMessage } from '../../bus/__fixtures__/bus-peer.ts'
import type { BusLink } from '../../bus/bus.ts'
import { openMessenger, settle, type TestMessenger } from './__fixtures__/open-messenger.ts'
import { createNatsLink } from './create-nats-link.ts'

const nats: RunningNats | UnavailableNats = await startNats()
afterAll(() => nats[Symbol.asyncDispose]())

describe.skipIf(!nats.available)('the bus of two processes over NATS', () => {
  const server = nats as RunningNats
  let child: ChildProcess
  let messenger: TestMessenger
  let last = 0

  beforeAll(async () => {
    const program = new URL('__fixtures__/bus-process.ts', import.meta.url)
    const { url, service } = server
    child = spawn(process.execPath, [...sourceArguments(program), url, service.jwt, service.seed], {
      stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
    })
    await once(child, 'message')
    messenger = await openMessenger(server)
  })
  afterAll(async () => {
    await messenger.close()
    const exited = once(child, 'exit')
    child.kill('SIGKILL')
    await exited
  })

  async function ask(command: object): Promise<readonly HeardMessage[]> {
    last += 1
    child.send({ id: last, ...command })
    const [{ heard }] = await once(child, 'message')
    return heard
  }

  /** A link whose subscription the server knows already. */
  async function openLink(): Promise<BusLink> {
    const link = createNatsLink(messenger)
    let onMessage: Parameters<BusLink['receive']>[0] = () => undefined
    link.receive((subject, text) => onMessage(subject, text))
    await settle(messenger)
    return {
      ...link,
      receive: (receiver) => {
        onMessage = receiver
      },
    }
  }

  busContract(async () => {
    const peer: BusPeer = {
      publish: async (subject, message) => void (await ask({ publish: { subject, message } })),
      heard: () => ask({}),
    }
    await ask({ open: true })
    return { link: await openLink(), peer }
  })

  it('drops messages of another form', async () => {
    const heard: string[] = []
    const link = createNatsLink(messenger)
    link.receive((subject, text) => heard.push(`${subject} ${text}`))
    for (const payload of [1, null, {}, { from: 'x', text: 1 }, { from: 'x', text: 'last' }]) {
      messenger.publish('svc.hints.operations.changed', payload)
    }
    await settle(messenger)
    expect(heard).toEqual(['operations.changed last'])
    await link.close()
  })
})

it('says when it did not run', (context) => {
  if (!nats.available) context.skip(nats.reason)
  expect(nats.available).toBe(true)
})
