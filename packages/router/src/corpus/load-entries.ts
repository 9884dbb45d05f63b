import type { CallOptions } from '../ports.ts'
import { createEntryId } from './entry.ts'
import { parseLine, type StoredEntry } from './line.ts'
import type { CorpusStore } from './ports.ts'

/** A line that is not usable. */
export interface LineProblem {
  readonly line: number
  /** The reason, to follow "line 3". */
  readonly problem: string
}

/** The content of a stored corpus. */
export interface LoadedCorpus {
  /** Each text once, by its id, in the order of the file. */
  readonly entries: ReadonlyMap<string, StoredEntry>
  /** The line of each entry. */
  readonly lines: ReadonlyMap<string, number>
  /** The first of the lines that are not usable. */
  readonly problems: readonly LineProblem[]
  /** Number of lines that are not usable. */
  readonly problemCount: number
}

/** Problems that are kept by line. */
export const MAX_PROBLEMS = 100

/** Reads a corpus. A line that cannot be read is skipped and named; a repeated text is skipped. */
export async function loadEntries(
  store: CorpusStore,
  name: string,
  { maxEntries, signal }: CallOptions & { readonly maxEntries: number },
): Promise<LoadedCorpus> {
  const entries = new Map<string, StoredEntry>()
  const lines = new Map<string, number>()
  const problems: LineProblem[] = []
  let problemCount = 0
  const report = (line: number, problem: string) => {
    problemCount++
    if (problems.length < MAX_PROBLEMS) problems.push({ line, problem })
  }
  for await (const { number, text, isTorn } of store.read(name, { signal })) {
    if (isTorn) report(number, 'is torn: it was not written to its end')
    else if (text === undefined) report(number, 'is too long')
    else if (text.trim() !== '') {
      const parsed = parseLine(text)
      if ('problem' in parsed) report(number, parsed.problem)
      else if (entries.size >= maxEntries) report(number, `is beyond the ${maxEntries} entries that a corpus may have`)
      else {
        const id = createEntryId(parsed.entry.text)
        if (entries.has(id)) continue
        entries.set(id, parsed.entry)
        lines.set(id, number)
      }
    }
  }
  return { entries, lines, problems, problemCount }
}
