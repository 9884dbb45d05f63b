import type { BackendClient } from '@svc/backend-client'
import { expect, it } from 'vitest'
import { createWorkerClients } from './worker-clients.ts'

it('keeps a connection for one process of one worker', () => {
  const made: string[] = []
  const clients = createWorkerClients(({ address, processKey }, { httpAddress }) => {
    made.push(`${address} ${httpAddress} ${processKey}`)
    return { close() {} } as BackendClient
  })
  const take = (processKey: string, httpAddress: string) =>
    clients.take({ address: 'w:1', processKey }, { httpAddress }).release()
  take('m#0', 'w:50')
  take('m#0', 'w:50')
  // A worker that registers again may have its file server at another port.
  take('m#0', 'w:60')
  // A port is used again by another model, whose weights are elsewhere.
  take('n#0', 'w:60')
  expect(made).toEqual(['w:1 w:50 m#0', 'w:1 w:60 m#0', 'w:1 w:60 n#0'])
})

it('closes unused connections beyond its bound, and those in use at the end', () => {
  let open = 0
  const clients = createWorkerClients(() => {
    open += 1
    const close = () => {
      open -= 1
    }
    return { close } as BackendClient
  })
  const used = clients.take({ address: 'used:1', processKey: 'm#0' }, { httpAddress: 'w:50' })
  for (let port = 1; port <= 600; port += 1) {
    clients.take({ address: `w:${port}`, processKey: 'm#0' }, { httpAddress: 'w:50' }).release()
  }
  expect(open).toBe(512)
  used.release()
  used.release()
  clients.close()
  expect(open).toBe(0)
})

it('closes a broken connection after its last user, and gives it to nobody', () => {
  const closed: number[] = []
  let made = 0
  const clients = createWorkerClients(() => {
    made += 1
    const mine = made
    return { close: () => void closed.push(mine) } as unknown as BackendClient
  })
  const take = () => clients.take({ address: 'w:1', processKey: 'm#0' }, { httpAddress: 'w:50' })
  const [stream, probe] = [take(), take()]
  probe.discard()
  probe.discard()
  expect([made, closed]).toEqual([1, []])
  take().release()
  stream.release()
  expect([made, closed]).toEqual([2, [1]])
  clients.close()
  expect(closed).toEqual([1, 2])
})
