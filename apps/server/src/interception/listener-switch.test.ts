import { SvcError } from '@svc/errors'
import { createDeferred, type Deferred } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { ListenAddress } from '../config/places.ts'
import type { Logger } from '../ports.ts'
import { createListenerSwitch, type ListenerSwitch, type StartedProxy } from './listener-switch.ts'

/** A proxy whose connections end when the test says so. */
interface FakeProxy extends StartedProxy {
  readonly graces: (number | undefined)[]
  readonly ended: Deferred<void>
}

function createProxy({ host = '::', port }: ListenAddress, isExposed = false): FakeProxy {
  const graces: (number | undefined)[] = []
  const ended = createDeferred<void>()
  const counts = { tunnels: 0, intercepted: 0, connects: 0, refused: 0, requests: 0, blocked: 0, bufferedBytes: 0 }
  return {
    graces,
    ended,
    authority: { certificate: 'PEM', fingerprint: 'AA:BB' },
    proxy: {
      address: host,
      port,
      isExposed,
      counts,
      close(options) {
        graces.push(options?.graceMs)
        return ended.promise
      },
    },
  }
}

/** A switch whose starts the test answers one by one. */
function open() {
  const starts: { readonly address: ListenAddress; readonly answer: Deferred<StartedProxy> }[] = []
  const lines: [level: string, fields: object, text: string][] = []
  const log =
    (level: string) =>
    (fields: object, text: string): void =>
      void lines.push([level, fields, text])
  const logger: Logger = { debug: log('debug'), info: log('info'), warn: log('warn'), error: log('error') }
  const listener: ListenerSwitch = createListenerSwitch({
    start(address) {
      const answer = createDeferred<StartedProxy>()
      starts.push({ address, answer })
      return answer.promise
    },
    logger,
  })
  return { listener, starts, lines }
}

/** Lets everything run that waits for nothing. */
const settle = () => new Promise<void>((resolve) => setImmediate(resolve))

async function startAt({ listener, starts }: ReturnType<typeof open>, address: string, isExposed = false) {
  listener.follow(address)
  await settle()
  const start = starts.at(-1)
  if (start === undefined) throw new Error('nothing was started')
  const proxy = createProxy(start.address, isExposed)
  start.answer.resolve(proxy)
  await settle()
  return proxy
}

describe('the switch of the listener', () => {
  it('starts nothing for an empty address', async () => {
    const world = open()
    world.listener.follow('')
    await settle()
    expect([world.starts, world.listener.running, world.listener.fault]).toEqual([[], undefined, undefined])
  })

  it('starts once for the same address, and says where it listens', async () => {
    const world = open()
    const proxy = await startAt(world, '127.0.0.1:80')
    world.listener.follow('127.0.0.1:80')
    await settle()
    expect(world.starts.map(({ address }) => address)).toEqual([{ host: '127.0.0.1', port: 80 }])
    expect([world.listener.running, world.listener.asked]).toEqual([proxy, '127.0.0.1:80'])
    expect(world.lines).toEqual([
      ['info', { address: '127.0.0.1:80', fingerprint: 'AA:BB' }, 'the intercepting proxy is listening'],
    ])
  })

  it('warns of a listener that others can reach', async () => {
    const world = open()
    await startAt(world, ':80', true)
    expect(world.lines.at(-1)).toMatchObject([
      'warn',
      { address: '[::]:80' },
      expect.stringContaining('OTHER MACHINES'),
    ])
  })

  it('stops listening before it starts elsewhere, and lets connections go on', async () => {
    const world = open()
    const first = await startAt(world, '127.0.0.1:80')
    const second = await startAt(world, '127.0.0.1:81')
    expect([first.graces, world.listener.running]).toEqual([[30_000], second])
    world.listener.follow('')
    await settle()
    expect([second.graces, world.listener.running]).toEqual([[30_000], undefined])
  })

  it('skips addresses that were changed again meanwhile', async () => {
    const world = open()
    world.listener.follow('127.0.0.1:80')
    await settle()
    for (const port of [81, 82, 83]) world.listener.follow(`127.0.0.1:${port}`)
    const first = createProxy({ host: '127.0.0.1', port: 80 })
    world.starts[0]?.answer.resolve(first)
    await settle()
    expect([world.starts.map(({ address }) => address.port), first.graces]).toEqual([[80, 83], [30_000]])
  })

  it('keeps the reason of a failure until the next change', async () => {
    const world = open()
    world.listener.follow('127.0.0.1:80')
    await settle()
    const cause = new Error('EADDRINUSE')
    world.starts[0]?.answer.reject(new SvcError('unavailable', 'cannot listen', { cause }))
    await settle()
    expect([world.listener.fault, world.listener.running]).toEqual(['cannot listen: EADDRINUSE', undefined])
    expect(world.lines.at(-1)).toMatchObject(['error', { address: '127.0.0.1:80' }, expect.any(String)])
    await startAt(world, '127.0.0.1:81')
    expect(world.listener.fault).toBeUndefined()
  })

  it('ends with the server: what runs and what was ending get 3 s, and nothing starts', async () => {
    const world = open()
    const first = await startAt(world, '127.0.0.1:80')
    const second = await startAt(world, '127.0.0.1:81')
    world.listener.drain()
    world.listener.follow('127.0.0.1:82')
    let isClosed = false
    const closed = world.listener.close().then(() => {
      isClosed = true
    })
    await settle()
    expect([first.graces, second.graces, world.starts.length]).toEqual([[30_000, 3000], [3000, 3000], 2])
    expect(isClosed).toBe(false)
    first.ended.resolve()
    second.ended.resolve()
    await closed
  })

  it('ends a listener that starts while the server stops', async () => {
    const world = open()
    world.listener.follow('127.0.0.1:80')
    await settle()
    const closed = world.listener.close()
    const late = createProxy({ host: '127.0.0.1', port: 80 })
    late.ended.resolve()
    world.starts[0]?.answer.resolve(late)
    await closed
    expect([late.graces.length > 0, world.listener.running]).toEqual([true, undefined])
  })
})
