import { SvcError } from '@svc/errors'
import { describe, expect, it } from 'vitest'
import { databasePlaces } from '../../db/__fixtures__/places.ts'
import type { Messenger } from '../contract/messenger.ts'
import { useDatabase } from '../loads/__fixtures__/use-database.ts'
import { createFrontEndCalls } from './tell-front-ends.ts'

const { signal } = new AbortController()

/** A bus in memory. */
function createBus() {
  const served = new Map<string, () => Promise<unknown>>()
  const heard = new Set<(payload: unknown) => void>()
  const messenger: Pick<Messenger, 'request' | 'serve' | 'publish' | 'subscribe'> = {
    async request(subject) {
      const answer = served.get(subject)
      if (answer === undefined) throw new SvcError('unavailable', 'nobody', { code: 'no_responders' })
      return answer()
    },
    serve(subject, handler) {
      served.set(subject, () => handler({}, { subject, signal }))
      return () => void served.delete(subject)
    },
    publish: (_subject, payload) => heard.forEach((listener) => void listener(payload)),
    subscribe(subject, listener) {
      const mine = (payload: unknown): void => listener(payload, subject)
      heard.add(mine)
      return () => void heard.delete(mine)
    },
  }
  return messenger
}

describe.each(await databasePlaces())('other front ends on $name', ({ create }) => {
  const database = useDatabase(create)

  it('have all read a change, or one may not have', async () => {
    const messenger = createBus()
    const lives = async (id: string, leaseUntil = 8e12) => {
      const row = { id, leaseUntil, progress: '{}' }
      await database().queries.change((db, { frontEnds }) =>
        db.insert(frontEnds).values(row).onConflictDoUpdate({ target: frontEnds.id, set: row }),
      )
    }
    const followed: string[] = []
    const open = (id: string, follow = async () => void followed.push(id)) =>
      createFrontEndCalls({ database: database(), messenger, id, follow })
    const one = open('one')
    await Promise.all([lives('one'), lives('gone', 1)])
    expect([await one.tellOthers(signal), followed]).toEqual([true, []])
    await lives('two')
    expect(await one.tellOthers(signal)).toBe(false)
    const two = open('two')
    expect([await one.tellOthers(signal), followed]).toEqual([true, ['two']])
    await lives('three')
    const three = open('three', () => Promise.reject(new Error('the database is away')))
    expect(await one.tellOthers(signal)).toBe(false)
    // One that has said that it ends has no requests, until it is there again without the bus.
    two.close()
    three.close()
    expect(await one.tellOthers(signal)).toBe(true)
    await lives('two', 8e12 + 1)
    expect(await one.tellOthers(signal)).toBe(false)
    messenger.publish('', { id: 7 })
    one.close()
  })
})
