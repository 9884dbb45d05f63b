import type { ServiceKind } from './exchange.ts'
import type { Member } from './members.ts'
import type { PeerNode } from './node.ts'
import type { NetworkOptions } from './options.ts'
import { openTunnel, toProtocol } from './tunnels.ts'

/** The local ports of the services of others. */
export interface Reach {
  /** Gives each wanted service of a member a port. */
  open(member: Member): Promise<void>
  /** Takes the ports of a member back. */
  leave(member: Member): void
}

/** Most members that have a port for one kind of service. */
const MAX_PORTS = 64

/** Creates the ports of a member of the network. @param signal ends the opening of ports */
export function createReach(
  { wants, onService }: Pick<NetworkOptions, 'wants' | 'onService'>,
  { node, signal }: { readonly node: Pick<PeerNode, 'dial'>; readonly signal: AbortSignal },
): Reach {
  const ends = new Map<string, () => void>()
  const counts = new Map<ServiceKind, number>()
  const count = (kind: ServiceKind, change: number): number => {
    const changed = (counts.get(kind) ?? 0) + change
    counts.set(kind, changed)
    return changed
  }

  async function openOne(member: Member, kind: ServiceKind): Promise<void> {
    if (member.tunnels.has(kind) || signal.aborted) return
    const tunnel = await openTunnel((options) => node.dial(member.id, toProtocol(kind), options))
    // Two exchanges with one member may run at the same time.
    if (member.tunnels.has(kind) || signal.aborted || (counts.get(kind) ?? 0) >= MAX_PORTS) return tunnel.close()
    count(kind, 1)
    member.tunnels.set(kind, tunnel)
    const { address } = tunnel
    const onGone = onService?.({ kind, id: member.id, name: member.record.name || member.id, address })
    if (onGone !== undefined) ends.set(`${member.id} ${kind}`, onGone)
  }

  return {
    async open(member) {
      for (const kind of member.record.services) if (wants.includes(kind)) await openOne(member, kind)
    },
    leave(member) {
      for (const [kind, tunnel] of member.tunnels) {
        tunnel.close()
        count(kind, -1)
        ends.get(`${member.id} ${kind}`)?.()
        ends.delete(`${member.id} ${kind}`)
      }
      member.tunnels.clear()
    },
  }
}
