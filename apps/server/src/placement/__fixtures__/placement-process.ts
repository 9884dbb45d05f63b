import { createServer } from 'node:net'
import { SvcError } from '@svc/errors'
import { createModel } from '../../catalog/__fixtures__/model.ts'
import type { ModelLease } from '../../residency/residency.ts'
import { createLocalPlacement } from '../placement.ts'
import { type MockPlace, openMockPlace } from './mock-place.ts'
import { fromSentError, type Question, receive, send, toSentError } from './remote-messages.ts'

/** A process with places. Each connection is a member of the placement of one place; its leases end with it. */
const places = new Map<string, Promise<MockPlace>>()

const server = createServer((socket) => {
  const leases = new Map<number, ModelLease>()
  const waiting = new Map<number, AbortController>()
  let opened: Promise<MockPlace> | undefined

  const findPlace = async (): Promise<MockPlace> => {
    if (opened === undefined) throw new SvcError('internal', 'no place is open')
    return opened
  }
  const open = (folder: string): Promise<MockPlace> => {
    const place = places.get(folder) ?? openMockPlace(folder, 'elsewhere')
    places.set(folder, place)
    return place
  }
  async function answer(question: Question): Promise<void> {
    const { id } = question
    switch (question.ask) {
      case 'open':
        opened = open(question.folder)
        await opened
        return send(socket, { id })
      case 'close':
        await (await findPlace()).close()
        return send(socket, { id })
      case 'load':
      case 'place': {
        const left = new AbortController()
        waiting.set(id, left)
        const placement = createLocalPlacement((await findPlace()).residency)
        const model = createModel(question.model)
        if (question.ask === 'load') {
          await placement.load(model, { signal: left.signal })
          return send(socket, { id })
        }
        const lease = await placement.place(model, { signal: left.signal })
        waiting.delete(id)
        // The member may have left while its lease was on the way.
        if (left.signal.aborted || socket.destroyed) return lease.release()
        leases.set(id, lease)
        const { client, backend, place } = lease
        return send(socket, { id, lease: { address: client.address, backend, place } })
      }
      case 'leave':
        waiting.get(id)?.abort()
        leases.get(id)?.release()
        return void leases.delete(id)
      case 'release':
        leases.get(id)?.release()
        return void leases.delete(id)
      case 'failed':
        return leases.get(id)?.reportFailure(fromSentError(question.error))
      case 'died':
        return send(socket, { id, died: (await leases.get(id)?.hasDied()) ?? false })
      case 'running': {
        const running = (await findPlace()).residency.loaded()
        return send(socket, { id, running: running.map(({ pid, inFlight }) => ({ pid, inFlight })) })
      }
    }
  }

  receive<Question>(socket, (question) => {
    answer(question).catch((error: unknown) => send(socket, { id: question.id, error: toSentError(error) }))
  })
  socket.on('close', () => {
    for (const left of waiting.values()) left.abort()
    for (const lease of leases.values()) lease.release()
    leases.clear()
  })
})

process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.({ port: address?.port })
})
