import { createDeferred, eventually } from '@svc/test-kit'
import { describe, expect, it } from 'vitest'
import type { Logger } from '../../ports.ts'
import type { Bus, BusLink } from '../bus.ts'
import { MAX_LISTENERS, MAX_MESSAGE, MAX_WAITING } from '../channel.ts'
import { createBus } from '../create-bus.ts'
import type { BusPeer } from './bus-peer.ts'

interface World {
  readonly bus: Bus
  readonly peer: BusPeer
  /** Messages of the log. */
  readonly lines: readonly string[]
}

const job = (jobId: string) => ({ jobId })

/** The contract of every member of the bus. @param open links a new member to a peer */
export function busContract(open: () => Promise<{ readonly link: BusLink; readonly peer: BusPeer }>): void {
  async function start(): Promise<World & AsyncDisposable> {
    const lines: string[] = []
    const log: Logger['warn'] = (_, message) => void lines.push(message)
    const { link, peer } = await open()
    const bus = createBus({ link, logger: { warn: log, error: log } })
    return { bus, peer, lines, [Symbol.asyncDispose]: () => bus.close() }
  }
  /** Waits until everything that the peer has published before has arrived. */
  async function settle({ bus, peer }: World): Promise<void> {
    let isHere = false
    const end = bus.subscribe('responses.changed', () => {
      isHere = true
    })
    await peer.publish('responses.changed', { id: 'last' })
    await eventually(() => expect(isHere).toBe(true))
    end()
  }

  describe('listeners', () => {
    it('of the process are called before a publish returns, in the order of their subscriptions', async () => {
      await using world = await start()
      const heard: string[] = []
      world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(`first ${jobId}`))
      world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(`second ${jobId}`))
      world.bus.subscribe('responses.changed', ({ id }) => heard.push(id))
      world.bus.publish('operations.changed', job('a'))
      expect(heard).toEqual(['first a', 'second a'])
    })

    it('of other processes are called too, in both directions', async () => {
      await using world = await start()
      const heard: string[] = []
      world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(jobId))
      world.bus.publish('rights.revoked', { kind: 'user', userId: 'ada' })
      const message = { kind: 'user', userId: 'ada' }
      await eventually(async () => expect(await world.peer.heard()).toEqual([{ subject: 'rights.revoked', message }]))
      await world.peer.publish('operations.changed', job('b'))
      await eventually(() => expect(heard).toEqual(['b']))
    })

    it('of other processes do not get what only this process is to know', async () => {
      await using world = await start()
      const heard: string[] = []
      world.bus.subscribe('failover.changed', ({ group }) => heard.push(group))
      world.bus.publish('failover.changed', { group: 'g', event: { type: 'reset' } })
      world.bus.publish('operations.changed', job('a'))
      const only = [{ subject: 'operations.changed', message: job('a') }]
      await eventually(async () => expect(await world.peer.heard()).toEqual(only))
      expect(heard).toEqual(['g'])
    })

    it('that fail reach neither the publisher nor other listeners', async () => {
      await using world = await start()
      const heard: string[] = []
      world.bus.subscribe('operations.changed', () => {
        throw new Error('broken')
      })
      world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(jobId))
      world.bus.publish('operations.changed', job('a'))
      await world.peer.publish('operations.changed', job('b'))
      await eventually(() => expect(heard).toEqual(['a', 'b']))
      expect(world.lines).toEqual(Array(2).fill('a listener of the bus failed'))
    })

    it('end by the returned function and by their signal, each subscription by itself', async () => {
      await using world = await start()
      const heard: string[] = []
      const listener = ({ jobId }: { readonly jobId: string }): void => void heard.push(jobId)
      const stop = new AbortController()
      const end = world.bus.subscribe('operations.changed', listener)
      world.bus.subscribe('operations.changed', listener, { signal: stop.signal })
      world.bus.subscribe('operations.changed', listener, { signal: AbortSignal.abort() })
      world.bus.publish('operations.changed', job('two'))
      end()
      end()
      world.bus.publish('operations.changed', job('one'))
      stop.abort()
      world.bus.publish('operations.changed', job('none'))
      expect(heard).toEqual(['two', 'two', 'one'])
    })

    it('that an earlier listener ends are not called', async () => {
      await using world = await start()
      const heard: string[] = []
      world.bus.subscribe('operations.changed', () => end())
      const end = world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(jobId))
      world.bus.publish('operations.changed', job('a'))
      expect(heard).toEqual([])
    })

    it('are limited', async () => {
      await using world = await start()
      const ends = Array.from({ length: MAX_LISTENERS }, () =>
        world.bus.subscribe('operations.changed', () => undefined),
      )
      const further = () => world.bus.subscribe('operations.changed', () => undefined)
      expect(further).toThrow(expect.objectContaining({ kind: 'unavailable', code: 'bus_full' }))
      world.bus.subscribe('operations.stopped', () => undefined)
      ends[0]?.()
      further()
    })

    it('hear nothing once the bus is closed', async () => {
      await using world = await start()
      const heard: string[] = []
      const listen = () => world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(jobId))
      listen()
      await world.bus.close()
      listen()()
      world.bus.publish('operations.changed', job('a'))
      await world.peer.publish('operations.changed', job('b'))
      expect(heard).toEqual([])
    })
  })

  describe('messages', () => {
    it.each([
      ['refused, unless they can be shorter', MAX_MESSAGE, ['models.changed', 'responses.stopped']],
      ['sent up to the limit', 1000, ['models.changed', 'operations.changed', 'responses.stopped']],
    ])('that are long are %s', async (_, length, subjects) => {
      await using world = await start()
      const heard: number[] = []
      const name = 'x'.repeat(length)
      world.bus.subscribe('models.changed', ({ added }) => heard.push(added.join('').length))
      world.bus.subscribe('operations.changed', ({ jobId }) => heard.push(jobId.length))
      world.bus.publish('models.changed', { added: [name], changed: [], removed: [] })
      world.bus.publish('operations.changed', job(name))
      world.bus.publish('responses.stopped', { id: 'last' })
      await eventually(async () => expect((await world.peer.heard()).map(({ subject }) => subject)).toEqual(subjects))
      expect(heard).toEqual([length, length])
    })

    it('of other processes are read from the truth first; only its change is heard', async () => {
      await using world = await start()
      const heard: unknown[] = []
      const truths = [{ keys: ['threads' as const] }, undefined, new Error('the folder is away'), { keys: [] }]
      const end = world.bus.refreshWith('settings.changed', async () => {
        const truth = truths.shift()
        if (truth instanceof Error) throw truth
        return truth
      })
      world.bus.subscribe('settings.changed', (message) => heard.push(message))
      world.bus.publish('settings.changed', { keys: ['debug'] })
      expect([heard, truths.length]).toEqual([[{ keys: ['debug'] }], 4])
      for (const key of ['f16', 'cors', 'debug', 'csrf'] as const) {
        await world.peer.publish('settings.changed', { keys: [key] })
      }
      await eventually(() => expect(heard).toEqual([{ keys: ['debug'] }, { keys: ['threads'] }, { keys: [] }]))
      expect(world.lines).toEqual(['a change of another server could not be read'])
      end()
      await world.peer.publish('settings.changed', { keys: ['f16'] })
      await eventually(() => expect(heard.at(-1)).toEqual({ keys: ['f16'] }))
    })

    it('of other processes that wait are read once if they are equal, and are limited', async () => {
      await using world = await start()
      const { promise, resolve } = createDeferred()
      let reads = 0
      world.bus.refreshWith('rights.revoked', async (message) => {
        reads += 1
        await promise
        return message
      })
      for (let count = 0; count < 10; count += 1) await world.peer.publish('rights.revoked', { kind: 'all' })
      await settle(world)
      expect([reads, world.lines]).toEqual([1, []])
      for (let count = 0; count < MAX_WAITING + 5; count += 1) {
        await world.peer.publish('rights.revoked', { kind: 'user', userId: String(count) })
      }
      await settle(world)
      resolve()
      // One that runs, and as many as may wait.
      await eventually(() => expect(reads).toBe(1 + MAX_WAITING))
      expect(world.lines).toHaveLength(6)
    })

    it('have one part that reads their truth', async () => {
      await using world = await start()
      const end = world.bus.refreshWith('models.changed', () => undefined)
      expect(() => world.bus.refreshWith('models.changed', () => undefined)).toThrow('another part')
      end()
      world.bus.refreshWith('models.changed', () => undefined)
    })
  })
}
