import { randomInt } from 'node:crypto'
import { createEntrance, MAX_STREAMS_OF_MEMBER } from './entrance.ts'
import { MAX_OTHERS, type MemberRecord, receiveRecord, type ServiceKind, sendRecord } from './exchange.ts'
import { createMembers, isOnline, type Member } from './members.ts'
import { type Caller, openNode } from './node.ts'
import type { NetworkOptions } from './options.ts'
import type { PeerStream } from './pump.ts'
import { createReach } from './reach.ts'
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
  close(): Promise<void>
}

const LEDGER = '/svc/members/1.0.0'
const EXCHANGE_MS = 5000
const ANNOUNCE_MS = 10_000
/** Most addresses that are remembered for later looks. */
const MAX_REMEMBERED = 256

/**
 * Joins a network, or begins one.
 *
 * @throws {SvcError} `p2p_missing` without the packages
 */
// biome-ignore lint/complexity/noExcessiveLinesPerFunction: the parts of a member share its list and its end
export async function openNetwork(options: NetworkOptions): Promise<Network> {
  const { clock, logger, offers, token } = options
  const closing = new AbortController()
  const node = await openNode(options)
  const members = createMembers()
  /** Addresses that members have told, the newest last. */
  const remembered = new Set<string>()
  const given = [...token.peers, ...options.peers.filter(isAddress)]
  const reach = createReach(options, { node, signal: closing.signal })
  const entrances = (Object.keys(offers) as ServiceKind[]).map((kind) => {
    const entrance = createEntrance({ place: () => offers[kind]?.(), onServe: options.onServe })
    return { kind, ...entrance }
  })
  let exchanging = 0

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

  function remember(addresses: readonly string[]): void {
    for (const address of addresses) {
      remembered.delete(address)
      remembered.add(address)
    }
    for (const oldest of remembered) {
      if (remembered.size <= MAX_REMEMBERED) return
      remembered.delete(oldest)
    }
  }

  async function see(id: string, record: MemberRecord): Promise<void> {
    remember([...record.addresses, ...record.others].filter((address) => !address.endsWith(node.id)))
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
    if (exchanging >= MAX_EXCHANGES) return stream.abort(new Error('too many exchanges'))
    exchanging += 1
    // The stream was ended where it failed; the other side tells of it.
    await trade(stream, id, limitExchange()).catch(() => undefined)
    exchanging -= 1
  }

  const announce = async (): Promise<void> => void (await Promise.all(node.connected().map(exchange)))

  async function look(addresses: Iterable<string>): Promise<void> {
    const connected = new Set(node.connected())
    for (const address of addresses) {
      const id = /\/p2p\/(\w+)$/.exec(address)?.[1]
      if (closing.signal.aborted) return
      if (id === node.id || (id !== undefined && connected.has(id))) continue
      await node.join(address, { signal: limitExchange() })
    }
  }

  await node.handle(LEDGER, answer, { maxInboundStreams: 4 })
  for (const { kind, accept } of entrances)
    await node.handle(toProtocol(kind), accept, { maxInboundStreams: MAX_STREAMS_OF_MEMBER })
  node.onConnect((id) => void exchange(id))

  async function run(): Promise<void> {
    const { announceMs = ANNOUNCE_MS, lookMs } = options
    let lookAt = 0
    while (!closing.signal.aborted) {
      const now = clock.monotonic()
      if (now >= lookAt) {
        lookAt = now + lookMs
        await look([...given, ...remembered])
      } else if (node.connected().length === 0) await look(given)
      await announce()
      for (const member of members.sweep(clock.now())) reach.leave(member)
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

/** Most exchanges that members may have begun at the same time. */
const MAX_EXCHANGES = 64

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
