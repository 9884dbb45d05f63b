import * as z from 'zod'
import { readJsonFile } from '../../files/read-json-file.ts'
import { writeFileAtomic } from '../../files/write-file-atomic.ts'
import type { Agreed } from './decide-change.ts'

/** What a front end and the table had in common when they were compared last. It outlives a restart. */
export interface Ledger {
  /** Time of the last comparison by the clock of this machine, milliseconds since the epoch; undefined before the first. */
  readonly comparedAt: number | undefined
  get(name: string): Agreed | undefined
  names(): Iterable<string>
  /** @param agreed undefined forgets the name */
  note(name: string, agreed: Agreed | undefined): void
  /** Writes what has changed. @throws {SvcError} `disk_full`, `file_failed` */
  save(now: number): Promise<void>
}

const ledgerSchema = z.object({
  of: z.string(),
  compared_at: z.number(),
  files: z.record(z.string(), z.object({ revision: z.string(), version: z.number() })),
})

/** Time after which an unchanged ledger is written for its time alone. */
const RENEW_MS = 3_600_000

/**
 * Opens a ledger. One of another database or folder does not count.
 *
 * @param options.of names the database and the folder
 */
export async function openLedger({ path, of }: { readonly path: string; readonly of: string }): Promise<Ledger> {
  const read = await readJsonFile(path)
  const parsed = read.state === 'read' ? ledgerSchema.safeParse(read.root.toValue()).data : undefined
  const held = parsed?.of === of ? parsed : undefined
  const files = new Map<string, Agreed>(Object.entries(held?.files ?? {}))
  let comparedAt = held?.compared_at
  let isChanged = false
  return {
    get comparedAt() {
      return comparedAt
    },
    get: (name) => files.get(name),
    names: () => files.keys(),
    note(name, agreed) {
      isChanged = true
      if (agreed === undefined) files.delete(name)
      else files.set(name, agreed)
    },
    async save(now) {
      if (!isChanged && comparedAt !== undefined && now - comparedAt < RENEW_MS) return
      const text = JSON.stringify({ of, compared_at: now, files: Object.fromEntries(files) })
      await writeFileAtomic(path, text, { mode: 0o600 })
      comparedAt = now
      isChanged = false
    },
  }
}
