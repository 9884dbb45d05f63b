import { randomUUID } from 'node:crypto'
import { and, asc, eq, gt, lt, max, ne, type SQL, sql } from 'drizzle-orm'
import type { Database } from '../../db/database.ts'
import type { Queries } from '../../db/queries.ts'
import type { Tables } from '../../db/schema.ts'
import type { Clock } from '../../ports.ts'

/** A generation of the lines of a corpus. */
export interface Generation {
  readonly name: string
  readonly generation: string
}

/** Rows of the lines of corpora. */
export interface CorpusLines {
  /** Gives the name of a new generation; later ones have greater names. */
  begin(): string
  read(name: string, generation: string): AsyncIterable<{ readonly line: number; readonly text: string }>
  /** The number of the last line; 0 without lines. */
  findLast(name: string, generation: string): Promise<number>
  /** Adds lines behind the last one. */
  append(queries: Queries, at: Generation, texts: readonly string[]): Promise<void>
  /** Writes the lines of a generation that does not count yet. @returns how many; what was written goes after an error */
  fill(name: string, generation: string, texts: AsyncIterable<string>): Promise<number>
  /** Takes the lines after a number into another generation, with other numbers. */
  move(
    queries: Queries,
    lines: {
      readonly name: string
      readonly from: string
      readonly to: string
      readonly after: number
      readonly by: number
    },
  ): Promise<void>
  remove(queries: Queries, at: Generation): Promise<void>
  /** Removes generations that were begun long ago and never counted. */
  removeUnfinished(name: string, counting: string): Promise<void>
}

/** Rows of one page or one statement. */
const BATCH = 100
/** Characters of one statement. */
const BATCH_CHARACTERS = 4 * 1024 * 1024
/** A generation is filled in less time than this. */
const UNFINISHED_MS = 86_400_000

/** The lines of corpora in the database. */
export function createCorpusLines({ queries }: Pick<Database, 'queries'>, clock: Pick<Clock, 'now'>): CorpusLines {
  const isOf = (rows: Tables['routerCorpora'], name: string, generation: string): SQL | undefined =>
    and(eq(rows.corpus, name), eq(rows.generation, generation))

  async function findLast(inside: Queries, { name, generation }: Generation): Promise<number> {
    const [row] = await inside.rows((db, { routerCorpora: rows }) =>
      db
        .select({ last: max(rows.line) })
        .from(rows)
        .where(isOf(rows, name, generation)),
    )
    return Number(row?.last ?? 0)
  }

  async function insert(inside: Queries, { name, generation }: Generation, first: number, texts: readonly string[]) {
    for (const [start, batch] of toBatches(texts)) {
      const values = batch.map((text, index) => ({ corpus: name, generation, line: first + start + index, text }))
      await inside.change((db, { routerCorpora }) => db.insert(routerCorpora).values(values))
    }
  }

  async function remove(inside: Queries, { name, generation }: Generation): Promise<void> {
    await inside.change((db, { routerCorpora: rows }) => db.delete(rows).where(isOf(rows, name, generation)))
  }

  return {
    remove,
    begin: () => `${toPrefix(clock.now())}-${randomUUID()}`,
    findLast: (name, generation) => findLast(queries, { name, generation }),
    async *read(name, generation) {
      for (let after = 0; ; ) {
        const page = await queries.rows((db, { routerCorpora: rows }) =>
          db
            .select({ line: rows.line, text: rows.text })
            .from(rows)
            .where(and(isOf(rows, name, generation), gt(rows.line, after)))
            .orderBy(asc(rows.line))
            .limit(BATCH),
        )
        yield* page
        const last = page.at(-1)
        if (last === undefined || page.length < BATCH) return
        after = last.line
      }
    },
    async append(inside, at, texts) {
      await insert(inside, at, (await findLast(inside, at)) + 1, texts)
    },
    async fill(name, generation, texts) {
      let count = 0
      let waiting: string[] = []
      const write = async (): Promise<void> => {
        await insert(queries, { name, generation }, count + 1, waiting)
        count += waiting.length
        waiting = []
      }
      try {
        for await (const text of texts) {
          waiting.push(text)
          if (waiting.length >= BATCH) await write()
        }
        await write()
      } catch (error) {
        await remove(queries, { name, generation })
        throw error
      }
      return count
    },
    async move(inside, { name, from, to, after, by }) {
      await inside.change((db, { routerCorpora: rows }) =>
        db
          .update(rows)
          .set({ generation: to, line: sql<number>`${rows.line} + ${by}` })
          .where(and(isOf(rows, name, from), gt(rows.line, after))),
      )
    },
    async removeUnfinished(name, counting) {
      const unfinished = toPrefix(clock.now() - UNFINISHED_MS)
      await queries.change((db, { routerCorpora: rows }) =>
        db
          .delete(rows)
          .where(and(eq(rows.corpus, name), ne(rows.generation, counting), lt(rows.generation, unfinished))),
      )
    },
  }
}

/** The time of a generation, so that its name sorts by it. */
function toPrefix(time: number): string {
  return String(Math.trunc(time)).padStart(15, '0')
}

/** Statements of a bounded size, each with the place of its first text. */
function* toBatches(texts: readonly string[]): Generator<readonly [number, readonly string[]]> {
  let batch: string[] = []
  let size = 0
  for (const [index, text] of texts.entries()) {
    batch.push(text)
    size += text.length
    if (batch.length < BATCH && size < BATCH_CHARACTERS) continue
    yield [index + 1 - batch.length, batch]
    batch = []
    size = 0
  }
  if (batch.length > 0) yield [texts.length - batch.length, batch]
}
