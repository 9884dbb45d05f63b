import { randomInt } from 'node:crypto'
import { createAddressBook } from './address-book.ts'
import { createEntrance, MAX_STREAMS_OF_MEMBER } from './entrance.ts'
import { MAX_OTHERS, type MemberRecord, receiveRecord, type ServiceKind, sendRecord } from './exchange.ts'
import { createExchangeLimit } from './exchange-limit.ts'
import { createMembers, isOnline, type Member } from './members.ts'
import { type Caller, openNode } from './node.ts'
import type { NetworkOptions } from './options.ts'
import type { PeerStream } from './pump.ts'
import { createReach } from './reach.ts'
import { createSearch } from './search.ts'
import { formatToken, isAddress } from './token.ts'
import { toProtocol } from './tunnels.ts'

/** A member as lists show it. */
export interface ShownMember {
  readonly id: string
  readonly name: string
  readonly services: readonly ServiceKind[]
  readonly lastSeenAt: number
  readonly isOnline: boolean
  /** The local ports of its services. */
  readonly tunnels: Readonly<Partial<Record<ServiceKind, string>>>
}

/** A member of a network: this process. */
export interface Network {
  readonly id: string
  /** The token, with the addresses of this member. */
  token(): string
  members(): readonly ShownMember[]
  /** Ends the streams to services that take no connection any more. */
  endRefused(): void
  close(): Promise<void>
}

const LEDGER = '/svc/members/1.0.0'
const EXCHANGE_MS = 5000
const ANNOUNCE_MS = 10_000

/**
 * Joins a network, or begins one.
 *
 * @param open opens the connections of this member
 * @throws {SvcError} `p2p_missing` without the packages
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the parts of a member share its list and its end
export async function openNetwork(options: NetworkOptions, open = openNode): Promise<Network> {
  const { clock, logger, offers, token } = options
  const closing = new AbortController()
  const node = await open(options)
  const members = createMembers({ onForget: (member) => reach.leave(member) })
  const given = [...token.peers, ...options.peers.filter(isAddress)]
  const book = createAddressBook(given)
  const search = createSearch({
    node,
    onTried: (address, isReached) => book.note(address, isReached, clock.monotonic()),
    tryMs: EXCHANGE_MS,
    signal: closing.signal,
  })
  const reach = createReach(options, { node, signal: closing.signal })
  const entrances = (Object.keys(offers) as ServiceKind[]).map((kind) => {
    const entrance = createEntrance({ place: () => offers[kind]?.(), onServe: options.onServe })
    return { kind, ...entrance }
  })
  const limit = createExchangeLimit()

  const describe = (): MemberRecord => ({
    name: options.name,
    services: entrances.map(({ kind }) => kind).filter((kind) => offers[kind]?.() !== undefined),
    addresses: node.addresses().slice(0, 8),
    others: members
      .list()
      .filter((member) => isOnline(member, clock.now()))
      .flatMap(({ record }) => record.addresses)
      .slice(0, MAX_OTHERS),
  })

  async function see(id: string, record: MemberRecord): Promise<void> {
    book.tell(
      id,
      [...record.addresses, ...record.others].filter((address) => !address.endsWith(node.id)),
    )
    const isNew = members.find(id) === undefined
    const member = members.see(id, record, clock.now())
    if (member === undefined) return
    if (isNew) logger.info({ peer: id, name: record.name }, 'a member of the peer-to-peer network is there')
    await reach.open(member)
  }

  const limitExchange = (): AbortSignal => AbortSignal.any([closing.signal, AbortSignal.timeout(EXCHANGE_MS)])

  async function trade(stream: PeerStream, id: string, signal: AbortSignal): Promise<void> {
    try {
      const [record] = await Promise.all([receiveRecord(stream, signal), sendRecord(stream, describe(), signal)])
      await see(id, record)
    } catch (error) {
      stream.abort(new Error('the exchange has failed'))
      throw error
    }
  }

  async function exchange(id: string): Promise<void> {
    const signal = limitExchange()
    try {
      await trade(await node.dial(id, LEDGER, { signal }), id, signal)
    } catch (error) {
      if (!closing.signal.aborted) logger.debug({ peer: id, err: error }, 'a member did not answer')
    }
  }

  async function answer(stream: PeerStream, { id }: Caller): Promise<void> {
    const end = limit.begin(id, clock.monotonic())
    if (end === undefined) return stream.abort(new Error('too many exchanges'))
    // The stream was ended where it failed; the other side tells of it.
    await trade(stream, id, limitExchange()).catch(() => undefined)
    end()
  }

  const announce = async (): Promise<void> => void (await Promise.all(node.connected().map(exchange)))

  try {
    await node.handle(LEDGER, answer, { maxInboundStreams: 4, maxOutboundStreams: 4 })
    const limits = { maxInboundStreams: MAX_STREAMS_OF_MEMBER, maxOutboundStreams: MAX_STREAMS_OF_MEMBER }
    for (const { kind, accept } of entrances) await node.handle(toProtocol(kind), accept, limits)
  } catch (error) {
    await node.close()
    throw error
  }
  node.onConnect((id) => void exchange(id))

  function endRefused(): void {
    for (const { kind, close } of entrances) if (offers[kind]?.() === undefined) close()
  }

  async function run(): Promise<void> {
    const { announceMs = ANNOUNCE_MS, lookMs } = options
    let lookAt = 0
    while (!closing.signal.aborted) {
      const now = clock.monotonic()
      if (now >= lookAt) {
        lookAt = now + lookMs
        search.look(book.list(now))
      } else if (node.connected().length === 0) search.look(given)
      await announce()
      for (const member of members.sweep(clock.now())) reach.leave(member)
      endRefused()
      // Not at the same time as all others.
      await clock.sleep(announceMs + randomInt(announceMs / 10 + 1), { signal: closing.signal })
    }
  }
  const running = run().catch((error: unknown) => {
    if (!closing.signal.aborted) logger.error({ err: error }, 'the peer-to-peer network has ended')
  })

  return {
    id: node.id,
    token: () => formatToken({ key: token.key, peers: [...new Set([...node.addresses(), ...token.peers])] }),
    endRefused,
    members: () => members.list().map((member) => toShown(member, clock.now())),
    async close() {
      closing.abort()
      for (const member of members.list()) reach.leave(member)
      for (const { close } of entrances) close()
      await node.close()
      await running
    },
  }
}

function toShown(member: Member, now: number): ShownMember {
  const { id, record, lastSeenAt, tunnels } = member
  return {
    id,
    name: record.name || id,
    services: record.services,
    lastSeenAt,
    isOnline: isOnline(member, now),
    tunnels: Object.fromEntries([...tunnels].map(([kind, { address }]) => [kind, address])),
  }
}
