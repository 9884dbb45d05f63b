import type { Clock } from '../ports.ts'
import type { StoreTable } from './store-table.ts'
import type { WriteTurns } from './write-turns.ts'

/** Time between two attempts to keep the stores. */
const ATTEMPT_EVERY_MS = 1000

/** Keeps the stores as it is wanted, and refuses changes while that fails. */
export interface Keeping {
  /** Keeps the stores from now on, or no longer. @throws as {@link StoreTable.keep}, {@link StoreTable.keepNoLonger} */
  follow(isWanted: boolean): Promise<void>
  /** Tries again where the stores are to be kept and are not. @throws the failure */
  prepare(): Promise<void>
  /** Called in the turn of a change. @throws the failure of the last attempt where the stores are not kept */
  check(): void
}

/** @param parts.table has no files yet */
export function createKeeping(parts: {
  readonly table: Pick<StoreTable, 'isKept' | 'keep' | 'keepNoLonger'>
  readonly turns: Pick<WriteTurns, 'alone'>
  readonly clock: Pick<Clock, 'monotonic'>
}): Keeping {
  const { table, turns, clock } = parts
  let isWanted = false
  let failure: { readonly error: unknown; readonly at: number } | undefined

  const isMissing = (): boolean => isWanted && !table.isKept

  async function attempt(): Promise<void> {
    try {
      await table.keep()
      failure = undefined
    } catch (error) {
      failure = { error, at: clock.monotonic() }
      throw error
    }
  }

  return {
    follow: (wanted) =>
      turns.alone(() => {
        isWanted = wanted
        return wanted ? attempt() : table.keepNoLonger()
      }),
    async prepare() {
      if (!isMissing()) return
      if (failure !== undefined && clock.monotonic() - failure.at < ATTEMPT_EVERY_MS) throw failure.error
      await turns.alone(async () => {
        if (isMissing()) await attempt()
      })
    },
    check() {
      if (isMissing()) throw failure?.error
    },
  }
}
