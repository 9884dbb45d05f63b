import type { BackendClient } from '@svc/backend-client'
import { expect, it } from 'vitest'
import { createWorkerClients } from './worker-clients.ts'

it('keeps a connection for one process of one worker', () => {
  const made: string[] = []
  const clients = createWorkerClients((address, { httpAddress }) => {
    made.push(`${address} ${httpAddress}`)
    return { close() {} } as BackendClient
  })
  for (const httpAddress of ['w:50', 'w:50', 'w:60']) clients.take('w:1', { httpAddress }).release()
  // A worker that registers again may have its file server at another port.
  expect(made).toEqual(['w:1 w:50', 'w:1 w:60'])
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
  const used = clients.take('used:1', { httpAddress: 'w:50' })
  for (let port = 1; port <= 300; port += 1) clients.take(`w:${port}`, { httpAddress: 'w:50' }).release()
  expect(open).toBe(256)
  used.release()
  used.release()
  clients.close()
  expect(open).toBe(0)
})
