import { createServer } from 'node:net'
import { createBus } from '../create-bus.ts'
import type { Messages, Subject } from '../subjects.ts'
import { type BusPeer, createPeer } from './bus-peer.ts'
import { createSocketLink } from './socket-link.ts'

/** A member of the bus in a process of its own. Each connection is a member; the newest one obeys the commands. */
export interface PeerCommand {
  readonly id: number
  /** @default reports every message that it has received */
  readonly publish?: { readonly subject: Subject; readonly message: Messages[Subject] } | undefined
}

let peer: BusPeer | undefined

const silent = { warn: () => undefined, error: () => undefined }
const server = createServer((socket) => {
  peer = createPeer(createBus({ link: createSocketLink(socket), logger: silent }))
  process.send?.({ connected: true })
})

async function obey({ id, publish }: PeerCommand): Promise<void> {
  if (publish !== undefined) await peer?.publish(publish.subject, publish.message)
  process.send?.({ id, heard: publish === undefined ? await peer?.heard() : [] })
}
process.on('message', (command: PeerCommand) => void obey(command))
process.on('disconnect', () => process.exit())
server.listen(0, '127.0.0.1', () => {
  const address = server.address()
  if (typeof address === 'object') process.send?.({ port: address?.port })
})
