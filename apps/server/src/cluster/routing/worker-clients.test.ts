import type { BackendClient } from '@svc/backend-client'
import { expect, it } from 'vitest'
import { createWorkerClients } from './worker-clients.ts'

it('shares the connection to a process, and makes another one when the file server of its worker is another', () => {
  const closed: string[] = []
  const clients = createWorkerClients((address, { httpAddress }) => {
    const name = `${address} with ${httpAddress}`
    const client: Partial<BackendClient> = { close: () => void closed.push(name) }
    return client as BackendClient
  })
  const before = clients.take('w:1', { httpAddress: 'w:2' })
  expect(clients.take('w:1', { httpAddress: 'w:2' }).client).toBe(before.client)
  const after = clients.take('w:1', { httpAddress: 'w:3' })
  expect(after.client).not.toBe(before.client)
  clients.close()
  expect(closed.sort()).toEqual(['w:1 with w:2', 'w:1 with w:3'])
})
