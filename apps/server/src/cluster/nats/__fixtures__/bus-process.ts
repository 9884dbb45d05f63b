import { type BusPeer, createPeer } from '../../../bus/__fixtures__/bus-peer.ts'
import { createBus } from '../../../bus/create-bus.ts'
import type { Messages, Subject } from '../../../bus/subjects.ts'
import { createNatsLink } from '../create-nats-link.ts'
import { openMessenger, settle } from './open-messenger.ts'

/** A command to the process: opens a new member of the bus, publishes, or reports what the member has heard. */
export interface BusCommand {
  readonly id: number
  readonly open?: boolean | undefined
  readonly publish?: { readonly subject: Subject; readonly message: Messages[Subject] } | undefined
}

const [url = '', jwt = '', seed = ''] = process.argv.slice(2)
const messenger = await openMessenger({ url, service: { jwt, seed } })
const silent = { warn: () => undefined, error: () => undefined }
let peer: BusPeer | undefined

async function obey({ id, open = false, publish }: BusCommand): Promise<void> {
  if (open) {
    peer = createPeer(createBus({ link: createNatsLink(messenger), logger: silent }))
    await settle(messenger)
  }
  if (publish !== undefined) await peer?.publish(publish.subject, publish.message)
  process.send?.({ id, heard: publish === undefined ? await peer?.heard() : [] })
}
process.on('message', (command: BusCommand) => void obey(command))
process.on('disconnect', () => process.exit())
process.send?.({ id: 0 })
