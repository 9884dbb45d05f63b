import { randomBytes } from 'node:crypto'
import { lstat, readdir, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { readLastWrite } from '../files/last-write.ts'
import { hashWriter } from '../operations/server-id.ts'
import type { Clock, Logger } from '../ports.ts'
import { isSavedState } from './read-record.ts'

/** The writer, then a random part. Hidden, so that an unfinished state is never taken for a saved one. */
const DRAFT = /^\.saving-([0-9a-f]{16})-[0-9a-f]{12}$/
const STATE = /^[0-9a-f]{32}$/
/** Time without a write after which an unfinished state of another server is left over. */
const STALE_MS = 24 * 60 * 60 * 1000

/** Removes states that are left over or too many. */
export interface StateSweep {
  /** Gives a new path for an unfinished state in the folder of a model. */
  draftPath(folder: string): string
  /** Keeps a folder from being removed until the returned function is called. */
  hold(folder: string): () => void
  /** Removes the unfinished states that killed servers have left in the folder of a model. */
  unfinished(folder: string): Promise<void>
  /** Removes the oldest states of a model beyond the limit. @param newest the state that is kept in any case */
  surplus(folder: string, newest: string): Promise<void>
}

/** Parts of {@link createStateSweep}. */
export interface StateSweepParts {
  readonly serverId: string
  readonly maxStates: number
  readonly clock: Pick<Clock, 'now'>
  readonly logger: Logger
}

/** Creates the sweep. A failure to remove something is logged, and the next save tries again. */
export function createStateSweep({ serverId, maxStates, clock, logger }: StateSweepParts): StateSweep {
  const owner = hashWriter(serverId)
  const held = new Map<string, number>()

  async function remove(folder: string): Promise<void> {
    if (held.has(folder)) return
    try {
      await rm(folder, { recursive: true, force: true })
      logger.info({ folder }, 'a saved state of a slot was removed')
    } catch (error) {
      logger.warn({ err: error, folder }, 'a saved state of a slot cannot be removed')
    }
  }

  return {
    draftPath: (folder) => join(folder, `.saving-${owner}-${randomBytes(6).toString('hex')}`),
    hold(folder) {
      held.set(folder, (held.get(folder) ?? 0) + 1)
      return () => {
        const left = (held.get(folder) ?? 1) - 1
        if (left > 0) held.set(folder, left)
        else held.delete(folder)
      }
    },
    async unfinished(folder) {
      for (const name of await list(folder, DRAFT)) {
        const path = join(folder, name)
        const isOwn = DRAFT.exec(name)?.[1] === owner
        if (isOwn || clock.now() - (await readLastWrite(path)) > STALE_MS) await remove(path)
      }
    },
    async surplus(folder, newest) {
      const names = await listStates(folder, newest)
      const times = await Promise.all(
        names.map(async (name) => [join(folder, name), await readTime(folder, name)] as const),
      )
      const oldestFirst = times.sort(([, one], [, other]) => one - other)
      for (const [path] of oldestFirst.slice(0, Math.max(0, names.length - (maxStates - 1)))) await remove(path)
    },
  }
}

/** Lists the folders of a folder whose names have a form. A link is not a folder. */
async function list(folder: string, form: RegExp): Promise<string[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch(() => [])
  return entries.filter((entry) => entry.isDirectory() && form.test(entry.name)).map(({ name }) => name)
}

/** Lists the saved states of a folder but one. A folder without a record of its own is not one of them. */
async function listStates(folder: string, newest: string): Promise<string[]> {
  const names: string[] = []
  for (const name of await list(folder, STATE)) {
    if (name !== newest && (await isSavedState(folder, name))) names.push(name)
  }
  return names
}

async function readTime(folder: string, name: string): Promise<number> {
  return lstat(join(folder, name)).then(
    ({ mtimeMs }) => mtimeMs,
    () => 0,
  )
}
