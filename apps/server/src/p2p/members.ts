import type { MemberRecord, ServiceKind } from './exchange.ts'
import type { Tunnel } from './tunnels.ts'

/** Another member of the network. */
export interface Member {
  readonly id: string
  record: MemberRecord
  /** Wall time of its last sign, milliseconds. */
  lastSeenAt: number
  readonly tunnels: Map<ServiceKind, Tunnel>
}

/** Time without a sign after which a member counts as away, milliseconds. */
const AWAY_MS = 40_000
/** Time after which it is forgotten. */
const FORGET_MS = 600_000
const MAX_MEMBERS = 256

/** The other members, by their ids. */
export interface Members {
  list(): readonly Member[]
  find(id: string): Member | undefined
  /** Takes a sign of a member; the one that is away the longest makes room. @returns undefined while nobody of too many is away */
  see(id: string, record: MemberRecord, now: number): Member | undefined
  /** Forgets members that were away for long. @returns the members that are away now */
  sweep(now: number): readonly Member[]
}

/** Whether a member is there. */
export function isOnline({ lastSeenAt }: Pick<Member, 'lastSeenAt'>, now: number): boolean {
  return now - lastSeenAt <= AWAY_MS
}

/** Creates an empty list. @param onForget called with a member that has made room */
export function createMembers({ onForget }: { readonly onForget: (member: Member) => void }): Members {
  const known = new Map<string, Member>()
  function forgetOne(now: number): boolean {
    const away = [...known.values()].filter((member) => !isOnline(member, now))
    const [oldest] = away.sort((one, other) => one.lastSeenAt - other.lastSeenAt)
    if (oldest === undefined) return false
    known.delete(oldest.id)
    onForget(oldest)
    return true
  }

  return {
    list: () => [...known.values()],
    find: (id) => known.get(id),
    see(id, record, now) {
      const member = known.get(id)
      if (member !== undefined) {
        member.record = record
        member.lastSeenAt = now
        return member
      }
      if (known.size >= MAX_MEMBERS && !forgetOne(now)) return undefined
      const added = { id, record, lastSeenAt: now, tunnels: new Map() }
      known.set(id, added)
      return added
    },
    sweep(now) {
      const away = [...known.values()].filter((member) => !isOnline(member, now))
      for (const { id, lastSeenAt } of away) if (now - lastSeenAt > FORGET_MS) known.delete(id)
      return away
    },
  }
}
