import type { Bus } from '../../bus/bus.ts'
import { repeat } from '../../concurrency/repeat.ts'
import type { Clock } from '../../ports.ts'
import type { FolderSync } from './folder-sync.ts'

/** Interval at which folders are compared without a message of the bus. */
export const LOOK_MS = 30_000

/** A folder that is compared whenever it or the table may have changed. */
export interface FolderFollower {
  /** Compares once more. Resolves after a comparison that began later than the call. */
  look(): Promise<void>
  close(): Promise<void>
}

/** Options of {@link followFolder}. */
export interface FollowOptions {
  readonly kind: string
  readonly sync: FolderSync
  /** Called after files here have changed. */
  readonly onPulled: () => Promise<unknown>
  readonly bus: Pick<Bus, 'subscribe'>
  readonly clock: Clock
}

/** Compares a folder with the table at messages of the bus and every half minute. */
export function followFolder({ kind, sync, onPulled, bus, clock }: FollowOptions): FolderFollower {
  const closed = new AbortController()
  const { signal } = closed
  let isAsked = false
  let running: Promise<void> | undefined

  async function compare(): Promise<void> {
    while (isAsked && !signal.aborted) {
      isAsked = false
      if (await sync.run()) await onPulled()
    }
  }

  async function compareInTurn(): Promise<void> {
    try {
      await compare()
    } finally {
      running = undefined
    }
    // Somebody may have asked at the last moment.
    if (isAsked && !signal.aborted) await look()
  }

  function look(): Promise<void> {
    isAsked = true
    running ??= compareInTurn()
    return running
  }

  bus.subscribe(
    'files.changed',
    (message) => {
      if (message.kind === kind) void look()
    },
    { signal },
  )
  const looking = repeat(LOOK_MS, look, { clock, signal })
  return {
    look,
    async close() {
      closed.abort()
      await looking
      await running
    },
  }
}
